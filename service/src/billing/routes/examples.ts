import { exampleValues } from '../../http/schema/example-values.ts';
import { formatPounds } from '../../money/amounts.ts';
import { networkCharge, payoutCost, standardMarkups, standardPayoutPrices } from '../../money/fees.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import { monthEnd, monthStart } from '../../platform/london-month.ts';
import { draftInvoice, type Gathered } from '../invoices/invoice.ts';
import type { Item } from '../invoices/list-items.ts';
import type { Statement } from '../statement/statement.ts';
import { writeStatement } from '../statement/statement-csv.ts';
import type { MovementRow } from '../statement/store.ts';
import { invoiceBody, itemBody, writeItems } from './invoice-body.ts';
import { movementBody, statementBody } from './statement-body.ts';

// What the reference shows of billing: the November in which the one payout of the other examples was made.

const month = '2026-11';
const issuedAt = monthEnd(month);
const paymentTermMs = 14 * 24 * 3_600_000;
const updatedAt = new Date(exampleValues.updatedAt);

const rate: GbpPerUsd = 790_000n;
const amount = 850_00n;
const cost = payoutCost(amount, rate, standardPayoutPrices);
/** A network fee of two cents. */
const networkFee = networkCharge(20_000n, rate, standardMarkups);

const charge = (reason: string, charged: bigint): Gathered => ({
  reason,
  isTakenBack: false,
  items: 1,
  amount: charged,
});
const drafted = draftInvoice(
  month,
  [
    charge('charge.payout_fees', cost.invoiceShare),
    charge('charge.network_fees', networkFee),
    charge('charge.monthly_account', 15_00n),
  ],
  0n,
);

export const invoiceExample = invoiceBody(
  {
    id: '01a22eec-7a00-7f21-8b3d-5c9e0a7d4b62',
    number: 42n,
    period: month,
    beginsAt: monthStart(month),
    endsAt: issuedAt,
    status: 'issued',
    billedTo: { name: exampleValues.business, email: 'billing@harbourgoods.example' },
    total: drafted.total,
    carriedIn: 0n,
    carriedOut: drafted.carriedOut,
    issuedAt,
    dueAt: new Date(issuedAt.getTime() + paymentTermMs),
    paid: 0n,
    paidOn: null,
    voidedAt: null,
    lines: drafted.lines,
  },
  issuedAt,
);

const item: Item = {
  id: '01a1e3b1-3560-7d0e-a4f7-1b6c8e2f9d35',
  at: updatedAt,
  kind: 'payout_fees',
  effect: 'charge',
  payoutId: exampleValues.payoutId,
  reference: exampleValues.reference,
  payoutAmount: amount,
  amount: cost.invoiceShare * 10_000n,
};
export const itemExample = itemBody(item);
export const itemCursorExample = `${item.id}.1`;

async function* onePage<Row>(row: Row): AsyncGenerator<Row[]> {
  yield [row];
}
async function whole(lines: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const part of lines) text += part;
  return text;
}
export const itemsCsvExample = await whole(writeItems(onePage(item)));

export const usageExample = {
  object: 'usage' as const,
  period_start: `${month}-01`,
  payouts: {
    count: 1,
    completed: 1,
    paid_to_sellers_gbp: formatPounds(amount),
    fees_gbp: formatPounds(cost.fee),
  },
  invoice_so_far: {
    lines: drafted.lines.map((line) => ({ kind: line.kind, amount_gbp: formatPounds(line.amount) })),
    total_gbp: formatPounds(drafted.total),
    carried_over_gbp: formatPounds(drafted.carriedOut),
  },
};

const opening = 5_000_000_000n;
const closing = opening - cost.walletDebit;
const statement: Statement = {
  beganAt: monthStart(month),
  endedAt: monthEnd(month),
  firstNumber: 7n,
  nextNumber: 8n,
  opening,
  closing,
};
const movement: MovementRow = {
  number: 7n,
  transferId: exampleValues.payoutId,
  reason: 'payout.hold',
  change: -cost.walletDebit,
  balance: closing,
  payoutId: exampleValues.payoutId,
  depositId: null,
  reference: exampleValues.reference,
  causeId: exampleValues.payoutId,
};
export const movementExample = movementBody(movement);
export const statementExample = statementBody(statement, { environment: 'sandbox', month, movements: [movement] });
export const statementCsvExample = await whole(writeStatement(statement, onePage(movement), statement.endedAt));

/** The number of the one movement, as a cursor names it. */
export const movementNumberExample = String(movement.number);
