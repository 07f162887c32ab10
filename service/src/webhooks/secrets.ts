import type { Encryptor } from '../platform/encryption.ts';
import { takeRandomBytes } from '../platform/random-bytes.ts';

/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** As Standard Webhooks writes it. */
export function newSecret(): string {
  return `whsec_${Buffer.from(takeRandomBytes(secretBytes)).toString('base64')}`;
}

const place = (endpointId: string) => ({ table: 'webhook_endpoints', row: endpointId, column: 'secret' });

export function encryptSecret(encryptor: Encryptor, endpointId: string, secret: string): Buffer {
  return encryptor.encrypt(secret, place(endpointId));
}

export function decryptSecret(encryptor: Encryptor, endpointId: string, encrypted: Buffer): string {
  return encryptor.decrypt(encrypted, place(endpointId));
}
