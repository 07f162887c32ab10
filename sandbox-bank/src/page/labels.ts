// What the page calls the bank's actions, failures and states.
import type { webhookModes } from '../control/webhooks.ts';
import type { FaultKind } from '../faults.ts';
import type { DepositAct } from '../funding/acts.ts';
import type { Act } from '../transfers/acts.ts';

/** `hint` says what happens. It is the button's tooltip. */
export interface Label {
  text: string;
  hint: string;
}

type Visibility = 'forget' | 'remember';

const visibility: Readonly<Record<Visibility, Label>> = {
  forget: { text: 'Hide', hint: 'The bank’s API answers as if it never existed.' },
  remember: { text: 'Unhide', hint: 'The bank’s API shows it again.' },
};

export const transferLabels: Readonly<Record<Act | Visibility, Label>> = {
  settle: { text: 'Settle', hint: 'The money arrives at the recipient.' },
  release: { text: 'Release', hint: 'End the hold and send the money.' },
  hold: { text: 'Hold', hint: 'Stop before the money is sent.' },
  return: { text: 'Return', hint: 'The recipient’s bank sends the money back because the account is closed.' },
  fail: { text: 'Fail', hint: 'The account number is invalid. The bank keeps the money until you refund it.' },
  refund: { text: 'Refund', hint: 'Give the money of a failed transfer back to the wallet.' },
  cancel: { text: 'Cancel', hint: 'Cancel it and give the money back to the wallet.' },
  ...visibility,
};

export const depositLabels: Readonly<Record<DepositAct | Visibility, Label>> = {
  settle: { text: 'Settle', hint: 'Credit the wallet now.' },
  hold: { text: 'Review', hint: 'Stop it for a review.' },
  release: { text: 'Release', hint: 'End the review and continue.' },
  refund: { text: 'Refund', hint: 'Send the money back to the sender, from the wallet if it was credited.' },
  fail: { text: 'Fail', hint: 'End it with an error.' },
  ...visibility,
};

export const faultLabels: Readonly<Record<FaultKind, Label>> = {
  reject: { text: 'Reject it', hint: 'Respond with 400. No money moves.' },
  error_before: { text: 'Error, not accepted', hint: 'Respond with 500. The bank has not accepted the transfer.' },
  error_after: { text: 'Error, but accepted', hint: 'Respond with 500 although the bank has accepted the transfer.' },
  drop_request: { text: 'Lose the request', hint: 'Close the connection. The bank has not accepted the transfer.' },
  drop_reply: { text: 'Lose the response', hint: 'Close the connection after the bank has accepted the transfer.' },
  delay: { text: 'Delay by 10 s', hint: 'Wait 10 seconds, then accept the transfer.' },
  delay_reply: {
    text: 'Accept, respond after 10 s',
    hint: 'Accept the transfer at once, but respond after 10 seconds.',
  },
  truncated: { text: 'Cut the response off', hint: 'Accept the transfer, but send only part of the response.' },
  wrong_types: { text: 'Malformed response', hint: 'Accept the transfer, but respond with fields of the wrong type.' },
  empty: { text: 'Empty response', hint: 'Accept the transfer, but respond with nothing.' },
  html: { text: 'HTML response', hint: 'Accept the transfer, but respond with a web page.' },
  other_reference: {
    text: 'Another reference',
    hint: 'Accept the transfer, but respond with the reference of another one.',
  },
  other_amount: { text: 'Another amount', hint: 'Accept the transfer, but respond with another amount.' },
  other_account: { text: 'Another account', hint: 'Accept the transfer, but respond with another external account.' },
  no_amounts: { text: 'No amounts', hint: 'Accept the transfer, but do not say what was debited or refunded.' },
  take_different: { text: 'Debit 0.01 USDC more', hint: 'Accept the transfer, but debit more than agreed.' },
};

export const webhookLabels: Readonly<Record<(typeof webhookModes)[number], Label>> = {
  normal: { text: 'Normal', hint: 'Deliver each webhook once, in order.' },
  lose: { text: 'Lost', hint: 'Deliver none. Kelpie has to ask the bank.' },
  repeat: { text: 'Repeated', hint: 'Deliver each webhook three times.' },
  shuffle: { text: 'Out of order', hint: 'Deliver webhooks in a random order.' },
};

export const modeLabels = {
  sandbox: 'Sandbox',
  'live-stand-in': 'Stand-in for the live bank',
} as const;

/** For example "Payment processed". */
export function stateLabel(state: string): string {
  const words = state.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
