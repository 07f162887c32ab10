import type { PayoutStatus } from '@kelpie/sdk';

interface StatusLabels {
  label: string;
  /** One sentence about the money. */
  meaning: string;
  /** The same for a status that the payout has left. */
  meant: string;
}

export const statusLabels: Readonly<Record<PayoutStatus, StatusLabels>> = {
  pending: {
    label: 'Pending',
    meaning: 'Created. We are waiting for the bank to confirm it.',
    meant: 'Sent to the bank.',
  },
  processing: {
    label: 'Processing',
    meaning: 'On its way by Faster Payments. This usually takes minutes.',
    meant: 'Sent by Faster Payments.',
  },
  completed: {
    label: 'Completed',
    meaning: "Paid into the recipient's account.",
    meant: "Paid into the recipient's account.",
  },
  failed: {
    label: 'Failed',
    meaning: 'The payout did not arrive.',
    meant: 'The payout did not arrive.',
  },
  cancelled: {
    label: 'Cancelled',
    meaning: 'Stopped before it was sent. There is no charge.',
    meant: 'Stopped before it was sent.',
  },
  returned: {
    label: 'Returned',
    meaning: "The recipient's bank returned it.",
    meant: "The recipient's bank returned it.",
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
  account_not_found: 'Ask the recipient to confirm their sort code and account number, then pay again.',
  account_closed: 'Ask the recipient for another account, then pay again.',
  account_blocked: 'Ask the recipient to contact their bank, or to give you another account.',
  name_mismatch: 'Ask the recipient for the exact name on their account, then pay again.',
  recipient_declined: 'Ask the recipient why they declined it before you pay again.',
  recalled: 'Find out who requested the recall before you pay again.',
  bank_rejected_details: 'Check the sort code, account number and name with the recipient, then pay again.',
};

/** Undefined where only support can help. */
export function remedyFor(failureCode: string | null): string | undefined {
  return remedies[failureCode ?? ''];
}
