// The same for Fastify and Express: what happens with a request.
import { createKelpie, KelpieWebhookError, verifyWebhook, type WebhookHeaders } from '@kelpie/sdk';
import { openStore } from './store.ts';

const kelpie = createKelpie();
const store = openStore(process.env['STORE'] ?? 'webhooks.db');
const secret = process.env['KELPIE_WEBHOOK_SECRET'] ?? '';

function catchUp(): void {
  store.catchUp(kelpie).catch((error: unknown) => console.error('the feed can not be read now', error));
}

// What arrived while this program was down.
catchUp();

/** Returns the HTTP status to answer with. The body is the bytes that arrived: a parsed one can't be verified. */
export async function receive(headers: WebhookHeaders, body: Uint8Array): Promise<number> {
  try {
    const event = await verifyWebhook({ headers, body }, secret);
    store.apply(event);
    const { previous_sequence: previous } = event.webhook;
    if (previous !== null && !store.has(previous)) catchUp();
    // Only now: an event that is not stored yet is sent again.
    return 204;
  } catch (error) {
    if (error instanceof KelpieWebhookError) return 400;
    throw error;
  }
}
