import type { Pence } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';
import type { Day } from '../../platform/london-day.ts';
import type { Month } from '../../platform/london-month.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceFrom, type InvoiceRow } from '../invoices/store.ts';

// Operators' billing queries over all partners. They run as kelpie_reader.

export interface AdminInvoice extends Invoice {
  partnerId: string;
  partner: string;
  /** When it was marked as overdue, also if it was paid since. */
  overdueAt: Date | null;
}

type AdminInvoiceRow = InvoiceRow & { partner_id: string; slug: string; overdue_at: Date | null };

const invoiceColumns = `p.slug, i.id, i.number, i.period, i.begins_at, i.ends_at, i.status, i.total_pence, i.carried_in_pence,
  i.carried_out_pence, i.issued_at, i.due_at, i.overdue_at, i.paid_pence, i.paid_on::text, i.voided_at, i.partner_id, (
    select jsonb_agg(
      jsonb_build_array(l.kind, l.description, l.quantity::text, l.unit_price_pence::text, l.amount_pence::text, l.items::text)
      order by l.place
    )
    from kelpie.invoice_lines l where l.invoice_id = i.id
  ) as lines`;

function adminViewOf(row: AdminInvoiceRow): AdminInvoice {
  return { ...invoiceFrom(row), partnerId: row.partner_id, partner: row.slug, overdueAt: row.overdue_at };
}

interface InvoiceFilter {
  /** Null matches all. */
  partnerId: string | null;
  period: Month | null;
  /** Only unpaid invoices whose due day was over then. */
  overdueAt: Date | null;
  atMost: number;
}

/** Newest first. */
export async function listAdminInvoices(tx: Transaction, filter: InvoiceFilter): Promise<AdminInvoice[]> {
  const { rows } = await tx.query<AdminInvoiceRow>(
    `select ${invoiceColumns} from kelpie.invoices i join kelpie.partners p on p.id = i.partner_id
     where ($1::uuid is null or i.partner_id = $1) and ($2::text is null or i.period = $2)
       and ($3::timestamptz is null or (
         i.status in ('issued', 'overdue') and i.total_pence > 0
         and i.due_at < kelpie.london_day($3)::timestamp at time zone 'Europe/London'
       ))
     order by i.number desc limit $4`,
    [filter.partnerId, filter.period, filter.overdueAt, filter.atMost],
  );
  return rows.map(adminViewOf);
}

/** By number or id. */
export async function findAdminInvoice(
  tx: Transaction,
  by: { number: bigint } | { id: string },
): Promise<AdminInvoice | null> {
  const { rows } = await tx.query<AdminInvoiceRow>(
    `select ${invoiceColumns} from kelpie.invoices i join kelpie.partners p on p.id = i.partner_id
     where i.${'id' in by ? 'id' : 'number'} = $1`,
    ['id' in by ? by.id : by.number],
  );
  const [row] = rows;
  return row === undefined ? null : adminViewOf(row);
}

/** The ids of those that exist, by their numbers. */
export async function listInvoicesByNumber(
  tx: Transaction,
  numbers: readonly bigint[],
): Promise<Map<bigint, { id: string; partnerId: string }>> {
  const { rows } = await tx.query<{ number: string; id: string; partner_id: string }>(
    'select number, id, partner_id from kelpie.invoices where number = any ($1::bigint[])',
    [numbers.map(String)],
  );
  return new Map(rows.map((row) => [BigInt(row.number), { id: row.id, partnerId: row.partner_id }]));
}

/** What was recorded of an invoice. */
export interface RecordedPayment {
  amountPence: Pence;
  receivedOn: Day;
  bankReference: string;
  at: Date;
  by: string;
}

/** The oldest first. An invoice with more has been paid in pennies. */
const mostPayments = 1_000;

export async function listPayments(tx: Transaction, invoiceId: string): Promise<RecordedPayment[]> {
  const { rows } = await tx.query<{
    amount_pence: string;
    received_on: Day;
    bank_reference: string;
    at: Date;
    by: string;
  }>(
    `select amount_pence, received_on::text, bank_reference, at, by from kelpie.invoice_payments
     where invoice_id = $1 order by at, bank_reference limit $2`,
    [invoiceId, mostPayments],
  );
  return rows.map((row) => ({
    amountPence: BigInt(row.amount_pence),
    receivedOn: row.received_on,
    bankReference: row.bank_reference,
    at: row.at,
    by: row.by,
  }));
}

/** What a partner and we owe each other in pounds. */
export interface Outstanding {
  unpaidInvoices: number;
  unpaidPence: Pence;
  /** Credit that no invoice has used: what the last one carried over, and what was credited since. */
  creditPence: Pence;
}

export async function readOutstanding(tx: Transaction, partnerId: string): Promise<Outstanding> {
  const { rows } = await tx.query<{ unpaid: number; unpaid_pence: string; credit_pence: string }>(
    `select count(*) filter (where unpaid > 0)::int as unpaid, coalesce(sum(unpaid), 0) as unpaid_pence, coalesce((
         select i.carried_out_pence from kelpie.invoices i where i.partner_id = $1 order by i.period desc limit 1
       ), 0) - coalesce((
         select sum(e.amount) from kelpie.ledger_entries e
         where e.partner_id = $1 and e.environment = 'live' and e.account = 'credit_due' and e.reason like 'credit.%'
           and e.transfer_id >= kelpie.first_id_at(coalesce(
             (select b.closed_until from kelpie.closed_books b where b.partner_id = $1), 'epoch'
           ))
       ), 0) as credit_pence
     from (
       select case when i.status in ('issued', 'overdue') then i.total_pence - i.paid_pence else 0 end as unpaid
       from kelpie.invoices i where i.partner_id = $1
     ) each`,
    [partnerId],
  );
  const [row] = rows;
  return {
    unpaidInvoices: row?.unpaid ?? 0,
    unpaidPence: BigInt(row?.unpaid_pence ?? 0),
    creditPence: BigInt(row?.credit_pence ?? 0),
  };
}

/** A payout that the bank may have billed us for. */
export interface BilledPayout {
  partnerId: string;
  partner: string;
  environment: string;
  state: string;
  /** Charged automatically for its return, from the bank's record. */
  chargedByRecord: Pence;
}

interface BilledRow {
  partner_id: string;
  slug: string;
  environment: string;
  state: string;
  by_record: string;
}

export async function findBilledPayout(tx: Transaction, id: string): Promise<BilledPayout | null> {
  const { rows } = await tx.query<BilledRow>(
    `select o.partner_id, p.slug, o.environment::text, o.state::text, (
       select coalesce(sum(e.amount), 0) from kelpie.ledger_entries e
       where e.partner_id = o.partner_id and e.transfer_id >= $2 and e.account = 'receivable'
         and e.reason = 'charge.bank_exceptions' and e.cause_id = o.id and not exists (
           select from kelpie.single_charges s
           where s.partner_id = e.partner_id and s.kind = 'bank_exceptions' and s.transfer_id = e.transfer_id
         )
     ) as by_record
     from kelpie.payouts o join kelpie.partners p on p.id = o.partner_id where o.id = $1`,
    // A charge can't be older than its payout, which bounds the search.
    [id, firstIdAt(instantOf(id))],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { partner_id: partnerId, slug: partner, by_record: chargedByRecord, ...rest } = row;
  return { ...rest, partnerId, partner, chargedByRecord: BigInt(chargedByRecord) };
}

/** A charge for a returned, recalled or traced payout. */
export interface ChargedException {
  at: Date;
  partner: string;
  payoutId: string;
  /** A return charged automatically has no reference and no operator. */
  kind: string;
  bankReference: string | null;
  by: string | null;
  chargedPence: Pence;
}

interface ExceptionRow {
  transfer_id: string;
  slug: string;
  cause_id: string;
  kind: string | null;
  occasion: string | null;
  by: string | null;
  amount: string;
}

/** Newest first. */
export async function listExceptions(
  tx: Transaction,
  { partnerId, atMost }: { partnerId: string | null; atMost: number },
): Promise<ChargedException[]> {
  const { rows } = await tx.query<ExceptionRow>(
    `select e.transfer_id, p.slug, e.cause_id, s.occasion, s.by, e.amount, (
       select substr(a.action, 11) from kelpie.audit_log a
       where a.subject = e.cause_id::text and a.action like 'exception.%'
         and a.detail::jsonb ->> 'bank_reference' = s.occasion
       order by a.seq limit 1
     ) as kind
     from kelpie.ledger_entries e
     join kelpie.partners p on p.id = e.partner_id
     left join kelpie.single_charges s
       on s.partner_id = e.partner_id and s.kind = 'bank_exceptions' and s.transfer_id = e.transfer_id
     where e.account = 'receivable' and e.reason = 'charge.bank_exceptions' and ($1::uuid is null or e.partner_id = $1)
     order by e.transfer_id desc limit $2`,
    [partnerId, atMost],
  );
  return rows.map((row) => ({
    at: instantOf(row.transfer_id),
    partner: row.slug,
    payoutId: row.cause_id,
    kind: row.kind ?? 'return',
    bankReference: row.occasion,
    by: row.by,
    chargedPence: BigInt(row.amount),
  }));
}
