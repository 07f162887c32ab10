import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { ApiError } from '../../platform/api-error.ts';
import type { RelyingParty } from './relying-party.ts';

/** A passkey that is known, and what its use is verified with. */
export interface StoredPasskey {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
}

/** What an authenticator made for a new passkey, each in base64url. */
export interface NewCredential {
  id: string;
  client_data: string;
  attestation: string;
  transports: string[];
}

/** What an authenticator signed, each in base64url. */
export interface SignedChallenge {
  id: string;
  client_data: string;
  authenticator_data: string;
  signature: string;
}

export interface VerifiedCredential {
  challenge: Buffer;
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
}

export interface VerifiedUse {
  challenge: Buffer;
  credentialId: Buffer;
  counter: number;
}

/** ES256, EdDSA and RS256: what every authenticator has one of. */
const algorithms = [-7, -8, -257];

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

export function invalidPasskey(cause?: unknown): ApiError {
  return new ApiError({
    code: 'invalid_passkey',
    message: 'This passkey was not accepted. Nothing was changed. Start again, and use a passkey of this account.',
    cause,
  });
}

/** The library throws on whatever it refuses: that is an answer here. The challenge is the database's to judge. */
async function verified<Result>(verify: (keep: (challenge: string) => boolean) => Promise<Result>) {
  let challenge: Buffer | undefined;
  const result = await verify((text) => {
    challenge = bytesOf(text);
    return true;
  }).catch((error: unknown) => {
    throw invalidPasskey(error);
  });
  if (challenge === undefined) throw invalidPasskey();
  return { result, challenge };
}

/** Origin, relying party, user verification and attested key of a new passkey. */
export async function verifyNewCredential(party: RelyingParty, given: NewCredential): Promise<VerifiedCredential> {
  const { id, client_data: clientDataJSON, attestation: attestationObject, transports } = given;
  const { result, challenge } = await verified(async (expectedChallenge) =>
    verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!result.verified) throw invalidPasskey();
  const { credential } = result.registrationInfo;
  return {
    challenge,
    credentialId: bytesOf(credential.id),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
  };
}

/** Origin, relying party, user verification, counter and signature of a passkey that is known. */
export async function verifyUse(
  party: RelyingParty,
  passkey: StoredPasskey,
  { id, client_data: clientDataJSON, authenticator_data: authenticatorData, signature }: SignedChallenge,
): Promise<VerifiedUse> {
  const { result, challenge } = await verified(async (expectedChallenge) =>
    verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  );
  if (!result.verified) throw invalidPasskey();
  return { challenge, credentialId: passkey.credentialId, counter: result.authenticationInfo.newCounter };
}
