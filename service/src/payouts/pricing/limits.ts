import { formatPounds, type Pence } from '../../money/amounts.ts';
import { payoutLimits, type Rail } from '../../partners/index.ts';

interface AmountProblem {
  code: 'invalid_amount';
  message: string;
  details: { fields: { path: string; rule: string }[] };
}

/** What is wrong with an amount, or undefined. */
export function amountProblem(amount: Pence, rail: Rail): AmountProblem | undefined {
  const { smallest, largest } = payoutLimits(rail);
  if (amount >= smallest && amount <= largest) return undefined;
  const rule = `must be from ${formatPounds(smallest)} to ${formatPounds(largest)}`;
  return {
    code: 'invalid_amount',
    message: `amount_gbp ${rule}.`,
    details: { fields: [{ path: 'amount_gbp', rule }] },
  };
}
