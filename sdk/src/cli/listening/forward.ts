import type { Event, WebhookEvent } from '../../index.ts';
import { signWebhook } from '../../testing.ts';

/** As long as the service waits for an endpoint. */
const timeoutMs = 10_000;

export interface Attempt {
  /** The status of the receiver; null where none came. */
  status: number | null;
  isAccepted: boolean;
  ms: number;
}

export interface Receiver {
  url: string;
  secret: string;
  webhookId: string;
}

/** Posts an event once, with the body and the headers that a webhook has. */
export async function forwardEvent(
  { url, secret, webhookId }: Receiver,
  event: Event,
  previousSequence: number | null,
  signal: AbortSignal,
): Promise<Attempt> {
  const webhookEvent: WebhookEvent = { ...event, webhook: { id: webhookId, previous_sequence: previousSequence } };
  const message = await signWebhook(webhookEvent, secret);
  const startedAt = performance.now();
  const ms = (): number => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: 'POST',
      ...message,
      // A redirect could lead away from this machine.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // Read to its end, or the connection could not be used again.
    await response.arrayBuffer();
    return { status: response.status, isAccepted: response.ok, ms: ms() };
  } catch {
    return { status: null, isAccepted: false, ms: ms() };
  }
}
