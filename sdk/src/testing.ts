// The face of @kelpie/sdk/testing: webhooks that verify, for the tests of a partner's own receiver.
import type { Event } from './resources/events.ts';
import type { WebhookEvent } from './verify-webhook.ts';
import { importSecret, signatureOf, signedContent } from './webhook-signature.ts';

/** What is posted to a receiver: spread it into `new Request(url, { method: 'POST', … })`, or pass it to `verifyWebhook`. */
export interface SignedWebhook {
  headers: { 'content-type': string; 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };
  body: string;
}

export interface SignOptions {
  /** When it is sent, in place of now: a receiver refuses what is older than 5 minutes. */
  now?: Date | undefined;
}

/** Signs an event as Kelpie does. With two secrets, it has two signatures, as while a secret is replaced. */
export async function signWebhook(
  event: Event | WebhookEvent,
  secret: string | readonly string[],
  { now = new Date() }: SignOptions = {},
): Promise<SignedWebhook> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const content = signedContent(event.id, timestamp, new TextEncoder().encode(body));
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const signatures = await Promise.all(secrets.map(async (one) => signatureOf(content, await importSecret(one))));
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
  };
}
