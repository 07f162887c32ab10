// Standard Webhooks: HMAC-SHA256 over id, timestamp and the raw body. WebCrypto only, so that it runs on every platform.
import { KelpieWebhookError } from './webhook-error.ts';

const encoder = new TextEncoder();

export async function importSecret(secret: string) {
  try {
    const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  } catch {
    // The platform's own error could repeat the secret.
    throw new KelpieWebhookError('invalid_secret');
  }
}

export function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

/** One signature as the header `webhook-signature` has it. */
export async function signatureOf(
  content: Uint8Array<ArrayBuffer>,
  key: Awaited<ReturnType<typeof importSecret>>,
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
  return `v1,${btoa(String.fromCharCode(...digest))}`;
}
