// The face of @kelpie/sdk/testing: webhooks that verify, for the tests of a partner's own receiver.
import type { Event, EventType } from './resources/events.ts';
import { sampleData, type DataOf } from './sample-events.ts';
import type { WebhookEvent } from './verify-webhook.ts';
import { importSecret, signatureOf, signedContent } from './webhook-signature.ts';

/** An event as an endpoint receives it. */
export interface SampleEvent<Type extends EventType> extends Pick<WebhookEvent, 'webhook'> {
  id: string;
  object: 'event';
  environment: 'sandbox' | 'live';
  sequence: number;
  type: Type;
  version: number;
  created_at: string;
  data: DataOf<Type>;
}

/** What your test is about; the rest is filled in. */
export interface EventOverrides<Type extends EventType> {
  data?: Partial<DataOf<Type>> | undefined;
  id?: string | undefined;
  sequence?: number | undefined;
  version?: number | undefined;
}

/** A complete event, whose `data` is in the state that the type says: `payout.failed` has a failed payout. */
export function createEvent<Type extends EventType>(
  type: Type,
  { data, id = crypto.randomUUID(), sequence = 1, version = 1 }: EventOverrides<Type> = {},
): SampleEvent<Type> {
  return {
    id,
    object: 'event',
    environment: 'sandbox',
    sequence,
    type,
    version,
    created_at: new Date().toISOString(),
    data: { ...sampleData[type], ...data },
    webhook: {
      id: '01a1e3b1-25c0-7d17-a3c8-5e90b1f2d648',
      previous_sequence: sequence === 1 ? null : sequence - 1,
    },
  };
}

/** A secret of the form that Kelpie gives an endpoint, for `signWebhook` and `verifyWebhook`. */
export function createSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`;
}

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
  event: Pick<Event, 'id' | 'type'>,
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
