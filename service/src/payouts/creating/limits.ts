import { formatPounds, type Pence } from '../../money/amounts.ts';
import type { Rail } from '../../partners/index.ts';

/** The provider refuses less than 3.00 in production; its sandbox has no minimum of its own. */
const smallest: Readonly<Record<Rail, Pence>> = { simulated: 100n, provider_sandbox: 100n, provider_production: 300n };
const largest: Pence = 2_000_000n;

interface AmountProblem {
  code: 'invalid_amount';
  message: string;
  details: { fields: { path: string; rule: string }[] };
}

/** What is wrong with an amount, or undefined. */
export function amountProblem(amount: Pence, rail: Rail): AmountProblem | undefined {
  if (amount >= smallest[rail] && amount <= largest) return undefined;
  const rule = `must be from ${formatPounds(smallest[rail])} to ${formatPounds(largest)}`;
  return {
    code: 'invalid_amount',
    message: `The amount ${rule} GBP.`,
    details: { fields: [{ path: 'amount_gbp', rule }] },
  };
}
