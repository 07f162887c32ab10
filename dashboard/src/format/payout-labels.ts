import type { PayoutStatus } from '@kelpie/sdk';

interface StatusLabels {
  label: string;
  /** What it means for the money, in one sentence. */
  meaning: string;
  /** The same once it is past. */
  meant: string;
}

export const statusLabels: Readonly<Record<PayoutStatus, StatusLabels>> = {
  pending: {
    label: 'Pending',
    meaning: 'Saved. We are waiting for the bank to confirm that it has it.',
    meant: 'Saved, and the bank was asked to pay it.',
  },
  processing: {
    label: 'Processing',
    meaning: 'On its way on Faster Payments, which usually takes minutes.',
    meant: 'It went out on Faster Payments.',
  },
  completed: {
    label: 'Completed',
    meaning: "In the recipient's account.",
    meant: "It reached the recipient's account.",
  },
  failed: {
    label: 'Failed',
    meaning: 'It did not arrive, and nothing is charged.',
    meant: 'It did not arrive, and nothing was charged.',
  },
  cancelled: {
    label: 'Cancelled',
    meaning: 'It was stopped before it went, and nothing was charged.',
    meant: 'It was stopped before it went, and nothing was charged.',
  },
  returned: {
    label: 'Returned',
    meaning: "The recipient's bank sent it back.",
    meant: "The recipient's bank sent it back.",
  },
};

export const statuses: readonly PayoutStatus[] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'returned',
];

export function isPayoutStatus(text: string): text is PayoutStatus {
  return statuses.some((status) => status === text);
}

/** What to do about a payout that did not arrive. */
const remedies: Readonly<Record<string, string>> = {
  account_not_found: 'Ask the recipient for their sort code and account number again, then send a new payout.',
  account_closed: 'Ask the recipient for another account, then send a new payout.',
  account_blocked: 'Ask the recipient to talk to their bank, or for another account.',
  name_mismatch: 'Ask the recipient for the name exactly as their bank has it, then send a new payout.',
  recipient_declined: 'Ask the recipient why before you send another one.',
  recalled: 'Look at who asked for the recall before you send another one.',
  regulatory: 'Do not send it again. Write to us with the id of the payout.',
  bank_rejected_details:
    'Check the sort code, the account number and the name with the recipient, then send a new payout.',
};

export function remedyFor(failureCode: string | null): string {
  return (
    remedies[failureCode ?? ''] ??
    'Check the details with the recipient. If they are right, write to us with the id of the payout.'
  );
}
