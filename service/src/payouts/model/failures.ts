import type { PaymentFailure } from '../../banks/index.ts';

/** Why a payout did not arrive, for the people who read it. */
export const failureReasons: Readonly<Record<PaymentFailure, string>> = {
  account_not_found: 'There is no account with this sort code and account number.',
  account_closed: "The recipient's account is closed.",
  account_blocked: "The recipient's account cannot receive payments.",
  name_mismatch: 'The name does not match the name on the account.',
  recipient_declined: 'The recipient did not accept the payment.',
  recalled: 'The payment was recalled.',
  regulatory: 'The payment was stopped for regulatory reasons.',
  bank_rejected_details: 'The bank rejected the account details.',
  unknown: 'The bank did not say why.',
};
