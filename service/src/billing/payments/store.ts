import type { Pence } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { Day } from '../../platform/london-day.ts';

/** What a partner paid of an invoice, by a transfer to our bank account. */
export interface Payment {
  invoiceId: string;
  amount: Pence;
  receivedOn: Day;
  /** The bank's own id of the transfer. */
  bankReference: string;
}

/** Nothing is recorded unless it is `paid` or `part_paid`. The database function says what each means. */
export type PaymentOutcome =
  | 'paid'
  | 'part_paid'
  | 'no_invoice'
  | 'recorded_before'
  | 'recorded_otherwise'
  | 'not_open'
  | 'wrong_date'
  | 'too_much';

/** The database refuses it unless this transaction has recorded the act. `left` is what is then still to pay. */
export async function insertPayment(
  tx: Transaction,
  payment: Payment & { transferId: string; at: Date },
): Promise<{ outcome: PaymentOutcome; left: Pence }> {
  const { rows } = await tx.query<{ outcome: PaymentOutcome; left_pence: string | null }>(
    'select outcome, left_pence from kelpie.operator_record_payment($1, $2, $3, $4, $5, $6)',
    [payment.invoiceId, payment.transferId, payment.amount, payment.receivedOn, payment.bankReference, payment.at],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return { outcome: row.outcome, left: BigInt(row.left_pence ?? 0) };
}

export type VoidOutcome = 'void' | 'not_open' | 'has_payments' | 'has_credits';

/** What was proposed is taken with it: whoever gets another outcome than `void` must roll back. */
export async function voidInvoice(
  tx: Transaction,
  of: { invoiceId: string; proposalId: string; transferId: string; at: Date },
): Promise<VoidOutcome> {
  const { rows } = await tx.query<{ outcome: VoidOutcome }>(
    'select kelpie.operator_void_invoice($1, $2, $3, $4) as outcome',
    [of.proposalId, of.invoiceId, of.transferId, of.at],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return row.outcome;
}

/** Some of those whose due day is over, of all partners. */
export async function markOverdue(
  tx: Transaction,
  { at, atMost }: { at: Date; atMost: number },
): Promise<{ partnerId: string; invoiceId: string }[]> {
  const { rows } = await tx.query<{ partner_id: string; invoice_id: string }>(
    'select partner_id, invoice_id from kelpie.mark_overdue_invoices($1, $2)',
    [at, atMost],
  );
  return rows.map((row) => ({ partnerId: row.partner_id, invoiceId: row.invoice_id }));
}
