import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { takeRandomBytes } from './random-bytes.ts';

/**
 * Keys of 32 bytes by their version. The first encrypts; the others decrypt. A new key is first added at the end: while
 * processes are restarted one by one, each must decrypt what another has encrypted.
 */
export type DataKeys = ReadonlyMap<number, Buffer>;

/** Where an encrypted value stands. It is bound to that place: moved to another row or column, it does not decrypt. */
export interface Place {
  table: string;
  row: string;
  column: string;
}

export interface Encryptor {
  /** The version of the key that encrypts. A value begins with that of its own. */
  version: number;
  encrypt(plain: string, place: Place): Buffer;
  /** Throws where the value was changed, moved, or encrypted with a key that is not there. */
  decrypt(encrypted: Buffer, place: Place): string;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

function bindingOf({ table, row, column }: Place, version: number): Buffer {
  return Buffer.from([version, table, row, column].join('|'));
}

/** An encrypted value: the key's version in a byte, the nonce, what was encrypted, the tag. */
export function createEncryptor(dataKeys: DataKeys): Encryptor {
  const [newest] = dataKeys.keys();
  if (newest === undefined) throw new Error('there is no data key');
  const keys = new Map([...dataKeys].map(([version, bytes]) => [version, createSecretKey(bytes)]));
  const keyOf = (version: number): KeyObject => {
    const key = keys.get(version);
    if (key === undefined)
      throw new Error(`a value is encrypted with the data key ${version}, which is not configured`);
    return key;
  };
  return {
    version: newest,
    encrypt(plain, place) {
      const nonce = takeRandomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, keyOf(newest), nonce).setAAD(bindingOf(place, newest));
      const encrypted = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(newest), nonce, ...encrypted, cipher.getAuthTag()]);
    },
    decrypt(encrypted, place) {
      const version = encrypted[0] ?? 0;
      const nonce = encrypted.subarray(1, 1 + nonceBytes);
      const decipher = createDecipheriv(algorithm, keyOf(version), nonce, { authTagLength: tagBytes });
      decipher.setAAD(bindingOf(place, version)).setAuthTag(encrypted.subarray(-tagBytes));
      const opened = [decipher.update(encrypted.subarray(1 + nonceBytes, -tagBytes)), decipher.final()];
      return Buffer.concat(opened).toString();
    },
  };
}
