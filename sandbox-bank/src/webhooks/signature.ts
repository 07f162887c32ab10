import { createHash, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const keyBits = 2_048;
const generate = promisify(generateKeyPair);
// With a callback the work is done beside the event loop, which has requests to answer.
const signBeside = promisify((data: Buffer, key: KeyObject, done: (error: Error | null, made: Buffer) => void) =>
  sign('sha256', data, key, done),
);

export async function newKeyPair(): Promise<{ publicKey: string; privateKey: string }> {
  return generate('rsa', {
    modulusLength: keyBits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** The value of X-Webhook-Signature. What is signed is a digest, and signing hashes it again: that is how the provider does it. */
export async function signBody(body: string, key: KeyObject, at: Date): Promise<string> {
  const t = at.getTime();
  const digest = createHash('sha256').update(`${t}.${body}`).digest();
  const signature = await signBeside(digest, key);
  return `t=${t},v0=${signature.toString('base64')}`;
}
