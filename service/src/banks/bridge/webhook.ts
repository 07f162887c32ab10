import { createHash, createVerify, type KeyObject } from 'node:crypto';
import { idOfWalletTransfer } from '../wallet-transfer-reference.ts';
import { paymentStateOf } from './mapping.ts';
import { parseJson, textAt, valueAt } from './wire-values.ts';

/** A payment changed. How it stands now is read from the bank itself. */
export interface PaymentNews {
  kind: 'payment';
  eventId: string;
  paymentId: string;
  ourReference: string | null;
  /** It says no more of a payment than that the bank has it and is at work on it. */
  isUnderWay: boolean;
}

export type WebhookOutcome =
  | PaymentNews
  | { kind: 'verification'; eventId: string; verificationId: string }
  | {
      kind: 'deposit';
      eventId: string;
      /** Where it came in. */
      sourceId: string;
      depositId: string;
    }
  /** Genuine, and of something that we do not follow. */
  | { kind: 'other'; eventId: string }
  | { kind: 'refused'; text: 'signature' | 'stale' | 'unreadable' };

const newestToOldestMs = 10 * 60 * 1000;
const headerForm = /^t=(\d{1,16}),v0=([A-Za-z0-9+/=]+)$/;

/** The bank signs the hash of what it sends, not the thing itself: so it is hashed twice. */
function isSigned(webhook: { timestamp: string; rawBody: Buffer; signature: string; publicKey: KeyObject }): boolean {
  const digest = createHash('sha256').update(`${webhook.timestamp}.`).update(webhook.rawBody).digest();
  return createVerify('RSA-SHA256').update(digest).verify(webhook.publicKey, webhook.signature, 'base64');
}

/** `header` is X-Webhook-Signature, and `rawBody` the bytes as they came: parsing and printing them would change them. */
export function readWebhook(received: {
  header: string;
  rawBody: Buffer;
  publicKey: KeyObject;
  now: Date;
}): WebhookOutcome {
  const { header, rawBody, publicKey, now } = received;
  const [, timestamp, signature] = headerForm.exec(header) ?? [];
  if (timestamp === undefined || signature === undefined) return { kind: 'refused', text: 'signature' };
  if (!isSigned({ timestamp, rawBody, signature, publicKey })) return { kind: 'refused', text: 'signature' };
  if (Math.abs(now.getTime() - Number(timestamp)) > newestToOldestMs) return { kind: 'refused', text: 'stale' };
  return outcomeOf(parseJson(rawBody.toString()));
}

function outcomeOf(body: unknown): WebhookOutcome {
  const eventId = textAt(body, 'event_id');
  const category = textAt(body, 'event_category');
  const objectId = textAt(body, 'event_object_id');
  if (eventId === undefined || category === undefined || objectId === undefined)
    return { kind: 'refused', text: 'unreadable' };
  if (category === 'kyc_link') return { kind: 'verification', eventId, verificationId: objectId };
  const object = valueAt(body, 'event_object');
  if (category === 'virtual_account.activity' || category === 'liquidation_address.drain')
    return depositOutcome(eventId, object, objectId);
  if (category !== 'transfer') return { kind: 'other', eventId };
  const ourReference = textAt(object, 'client_reference_id') ?? null;
  // What moves between wallets is asked for every minute while it is open.
  if (idOfWalletTransfer(ourReference) !== null) return { kind: 'other', eventId };
  const isUnderWay = ['accepted', 'under_way'].includes(paymentStateOf(textAt(object, 'state') ?? ''));
  return { kind: 'payment', eventId, paymentId: objectId, ourReference, isUnderWay };
}

/** An event of a virtual account names its deposit; a drain is one. */
function depositOutcome(eventId: string, object: unknown, objectId: string): WebhookOutcome {
  const sourceId = textAt(object, 'virtual_account_id') ?? textAt(object, 'liquidation_address_id');
  const isDrain = textAt(object, 'liquidation_address_id') !== undefined;
  const depositId = isDrain ? objectId : textAt(object, 'deposit_id');
  // An account that was changed, say, is no deposit.
  if (sourceId === undefined || depositId === undefined) return { kind: 'other', eventId };
  return { kind: 'deposit', eventId, sourceId, depositId };
}
