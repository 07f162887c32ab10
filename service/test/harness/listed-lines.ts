import type { Line } from '../../src/ledger/index.ts';

type Account = Line['account'];

/** For each account, a reason for which the ledger lists it. */
const reasonOf: Readonly<Record<Account, string>> = {
  bank_wallet: 'correction',
  suspense: 'correction',
  wallet: 'correction',
  held: 'payout.arrived',
  in_transit: 'payout.arrived',
  fx: 'payout.arrived',
  exception_loss: 'payout.refunded',
  house_float: 'float.arrived',
  float_in_transit: 'float.arrived',
  partner_receivable: 'deposit.reversed',
  receivable: 'charge.payout_fees',
  revenue: 'charge.payout_fees',
  credit_due: 'credit.payout_fees',
  cash: 'invoice.paid',
  accrued: 'charge.network_fees',
  accrued_revenue: 'charge.network_fees',
};

/** Any lines, each under a reason that the ledger lists for its account: for tests of the ledger itself. */
export function listedLines(lines: readonly Line[]): Line[] {
  return lines.map(({ account, amount }) => ({ account, amount, reason: reasonOf[account] }));
}
