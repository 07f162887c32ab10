import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

// An authenticator in software, of real keys: what a browser and a security key do together.

interface Asked {
  challenge: string;
  rp_id: string;
  credentials: readonly { id: string }[];
}

/** What a test makes it do otherwise than an honest one. */
interface Deviation {
  origin?: string;
  rpId?: string;
  isUserVerified?: boolean;
  counter?: number;
  challenge?: string;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** A byte string in CBOR, with the shortest head. */
function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

/** A public key of P-256 as COSE: kty EC2, alg ES256, crv P-256, x, y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

export interface Authenticator {
  id: string;
  /** What `navigator.credentials.create` returns. */
  create(
    asked: Asked,
    deviation?: Deviation,
  ): {
    id: string;
    client_data: string;
    attestation: string;
    transports: string[];
  };
  /** What `navigator.credentials.get` returns. */
  get(
    asked: Asked,
    deviation?: Deviation,
  ): {
    id: string;
    client_data: string;
    authenticator_data: string;
    signature: string;
  };
}

/** One passkey, for pages of that origin. */
export function createAuthenticator(ownOrigin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let used = 0;
  const clientData = (type: string, { challenge }: Asked, { origin = ownOrigin, ...other }: Deviation): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge: other.challenge ?? challenge, origin, crossOrigin: false }));
  const dataOf = ({ rp_id: asked }: Asked, flags: number, deviation: Deviation): Buffer => {
    const { rpId = asked, isUserVerified = true, counter = used } = deviation;
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags | 0x01 | (isUserVerified ? 0x04 : 0), 0);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  };
  return {
    id,
    create(asked, deviation = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = [Buffer.alloc(16), length, credentialId, coseKey(publicKey)];
      const data = Buffer.concat([dataOf(asked, 0x40, deviation), ...attested]);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        cborBytes(data),
      ]);
      return {
        id,
        client_data: clientData('webauthn.create', asked, deviation).toString('base64url'),
        attestation: attestation.toString('base64url'),
        transports: ['internal'],
      };
    },
    get(asked, deviation = {}) {
      used += 1;
      const client = clientData('webauthn.get', asked, deviation);
      const data = dataOf(asked, 0, deviation);
      return {
        id,
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      };
    },
  };
}
