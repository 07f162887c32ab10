import { createHmac } from 'node:crypto';

/**
 * The same for the same key, on every machine, without anything to keep. Nothing about the key follows from it. A rolled key
 * has another.
 */
export function signingSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('kelpie listen').digest('base64')}`;
}
