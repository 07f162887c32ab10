import type { Recipient } from '../banks/index.ts';
import type { Sealer } from '../platform/sealing.ts';

/** Who is paid, with all that only the bank may know. */
export interface PayoutRecipient extends Recipient {
  email: string | null;
}

function placeOf(payoutId: string) {
  return { table: 'payouts', row: payoutId, column: 'recipient_sealed' };
}

export function sealRecipient(sealer: Sealer, payoutId: string, recipient: PayoutRecipient): Buffer {
  return sealer.seal(JSON.stringify(recipient), placeOf(payoutId));
}

function isRecipient(value: unknown): value is PayoutRecipient {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'address' in value;
}

/** What we sealed ourselves has the form that we gave it: the seal is the proof, and the rest only a reminder. */
export function openRecipient(sealer: Sealer, payout: { id: string; recipientSealed: Buffer }): PayoutRecipient {
  const recipient: unknown = JSON.parse(sealer.open(payout.recipientSealed, placeOf(payout.id)));
  if (!isRecipient(recipient)) throw new Error('a sealed recipient of another form');
  return recipient;
}
