import { Webhook } from 'standardwebhooks';
import type { Encryptor } from '../platform/encryption.ts';
import { decryptSecret } from './secrets.ts';
import type { EncryptedSecrets } from './store.ts';

/** What is posted to an endpoint: signed as Standard Webhooks says, by two secrets while one is replaced. */
export interface SignedMessage {
  headers: Record<string, string>;
  body: string;
}

interface ToSign {
  endpointId: string;
  /** Of the event: a receiver that has seen it ignores the message. */
  messageId: string;
  body: string;
  secrets: EncryptedSecrets;
}

export function signMessage(
  encryptor: Encryptor,
  { endpointId, messageId, body, secrets }: ToSign,
  now: Date,
): SignedMessage {
  const { current, previous } = secrets;
  const signing = previous !== null && previous.until > now ? [current, previous.encrypted] : [current];
  const signatures = signing.map((encrypted) =>
    new Webhook(decryptSecret(encryptor, endpointId, encrypted)).sign(messageId, now, body),
  );
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    },
    body,
  };
}

/** An event as an endpoint gets it: with the number of the one before it there, so that a receiver sees what it has missed. */
export function messageBody(
  event: object,
  { endpointId, previousSequence }: { endpointId: string; previousSequence: bigint | null },
): string {
  const previous = previousSequence === null ? null : Number(previousSequence);
  return JSON.stringify({ ...event, webhook: { id: endpointId, previous_sequence: previous } });
}
