import type { DifferenceRow } from '../../ledger/index.ts';
import type { Pence } from '../../money/amounts.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { Day } from '../../platform/london-day.ts';
import { monthEnd, monthStart, type Month } from '../../platform/london-month.ts';
import type { Gathered, Invoice, InvoiceLine, LineKind } from './invoice.ts';

/** From the first instant to before the second. */
export interface Span {
  from: Date;
  before: Date;
}

/** Nobody posts for the transaction's partner until its commit. Says until when its books are closed. */
export async function lockBooks(tx: Transaction): Promise<Date | null> {
  const { rows } = await tx.query<{ closed_until: Date | null }>('select kelpie.lock_books() as closed_until');
  return rows[0]?.closed_until ?? null;
}

export async function closeBooks(tx: Transaction, upto: Date): Promise<void> {
  await tx.query('select kelpie.close_books($1)', [upto]);
}

interface LiveEnvironment {
  /** When it went live. */
  since: Date;
  /** When its account was closed; null while it is open. */
  closedAt: Date | null;
  billedTo: Invoice['billedTo'];
}

/** Of the transaction's partner. */
export async function getLiveEnvironment(tx: Transaction, partnerId: string): Promise<LiveEnvironment> {
  const { rows } = await tx.query<{ since: Date; closed_at: Date | null; name: string; billing_email: string | null }>(
    `select e.created_at as since, p.closed_at, p.name,
       case when p.billing_email_confirmed_at is not null then p.billing_email end as billing_email
     from kelpie.partner_environments e join kelpie.partners p on p.id = e.partner_id
     where e.partner_id = $1 and e.environment = 'live'`,
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a partner without a live environment');
  const billedTo = { name: row.name, email: row.billing_email };
  return { since: row.since, closedAt: row.closed_at, billedTo };
}

interface GatheredRow {
  reason: string;
  is_taken_back: boolean;
  items: string;
  amount: string;
}

const gatherSql = 'select * from kelpie.gather_charges($1, $2, $3)';
const readCall: Call = { name: 'read_charges', text: 'select * from kelpie.read_charges($1, $2, $3)' };

function gatheredFrom(row: GatheredRow): Gathered {
  const { reason, is_taken_back: isTakenBack, items, amount } = row;
  return { reason, isTakenBack, items: Number(items), amount: BigInt(amount) };
}

function gatherValues(partnerId: string, { from, before }: Span): unknown[] {
  return [partnerId, firstIdAt(from), firstIdAt(before)];
}

/** What was posted in pounds for a partner, added up. */
export async function gatherIn(tx: Transaction, partnerId: string, span: Span): Promise<Gathered[]> {
  const { rows } = await tx.query<GatheredRow>(gatherSql, gatherValues(partnerId, span));
  return rows.map(gatheredFrom);
}

export async function gather(calls: SingleCalls, partnerId: string, span: Span): Promise<Gathered[]> {
  const rows = await calls.call<GatheredRow>(readCall, gatherValues(partnerId, span));
  return rows.map(gatheredFrom);
}

/** What the newest invoice of the transaction's partner left over. */
export async function findCarried(tx: Transaction, partnerId: string): Promise<Pence> {
  const { rows } = await tx.query<{ carried: string }>(
    `select carried_out_pence as carried from kelpie.invoices where partner_id = $1 order by period desc limit 1`,
    [partnerId],
  );
  return BigInt(rows[0]?.carried ?? 0);
}

export interface NewInvoice extends Omit<Invoice, 'number' | 'status' | 'paid' | 'paidOn' | 'voidedAt'> {
  partnerId: string;
  transferId: string | null;
}

/** The number is taken last of all: until the commit, nobody else can take one. */
export async function insertInvoice(tx: Transaction, made: NewInvoice): Promise<bigint> {
  const { rows } = await tx.query<{ number: string }>(
    `with counted as (
       update kelpie.invoice_counter set last_number = last_number + 1 returning last_number
     )
     insert into kelpie.invoices (
       id, partner_id, number, period, begins_at, ends_at, status, total_pence, carried_in_pence, carried_out_pence,
       issued_at, due_at, transfer_id, billed_to_name, billed_to_email
     )
     select $1, $2, last_number, $3, $4, $5, 'issued', $6, $7, $8, $9, $10, $11, $12, $13 from counted
     returning number`,
    [
      made.id,
      made.partnerId,
      made.period,
      made.beginsAt,
      made.endsAt,
      made.total,
      made.carriedIn,
      made.carriedOut,
      made.issuedAt,
      made.dueAt,
      made.transferId,
      made.billedTo.name,
      made.billedTo.email,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('there is no counter of invoices');
  await insertLines(tx, made);
  await tx.query(
    `select kelpie.add_event('invoice.issued', 'live', i.id, 1, i.issued_at, kelpie.invoice_snapshot(i))
     from kelpie.invoices i where i.id = $1`,
    [made.id],
  );
  return BigInt(row.number);
}

async function insertLines(tx: Transaction, { id, partnerId, lines }: NewInvoice): Promise<void> {
  await tx.query(
    `insert into kelpie.invoice_lines (
       invoice_id, partner_id, kind, place, description, quantity, unit_price_pence, amount_pence, items
     )
     select $1, $2, kind, place, description, quantity, unit_price, amount, items
     from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]) with ordinality
       as line (kind, description, quantity, unit_price, amount, items, place)`,
    [
      id,
      partnerId,
      lines.map((line) => line.kind),
      lines.map((line) => line.description),
      lines.map((line) => line.quantity.toString()),
      lines.map((line) => line.unitPrice.toString()),
      lines.map((line) => line.amount.toString()),
      lines.map((line) => line.items),
    ],
  );
}

type LineColumns = [
  kind: LineKind,
  description: string,
  quantity: string,
  unitPrice: string,
  amount: string,
  items: string,
];

export interface InvoiceRow {
  id: string;
  number: string;
  period: Month;
  begins_at: Date;
  ends_at: Date;
  status: Invoice['status'];
  billed_to_name: string;
  billed_to_email: string | null;
  total_pence: string;
  carried_in_pence: string;
  carried_out_pence: string;
  issued_at: Date;
  due_at: Date;
  paid_pence: string;
  paid_on: Day | null;
  voided_at: Date | null;
  lines: LineColumns[] | null;
}

function lineFrom([kind, description, quantity, unitPrice, amount, items]: LineColumns): InvoiceLine {
  return {
    kind,
    description,
    quantity: BigInt(quantity),
    unitPrice: BigInt(unitPrice),
    amount: BigInt(amount),
    items: Number(items),
  };
}

export function invoiceFrom(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    number: BigInt(row.number),
    period: row.period,
    beginsAt: row.begins_at,
    endsAt: row.ends_at,
    status: row.status,
    billedTo: { name: row.billed_to_name, email: row.billed_to_email },
    total: BigInt(row.total_pence),
    carriedIn: BigInt(row.carried_in_pence),
    carriedOut: BigInt(row.carried_out_pence),
    issuedAt: row.issued_at,
    dueAt: row.due_at,
    paid: BigInt(row.paid_pence),
    paidOn: row.paid_on,
    voidedAt: row.voided_at,
    lines: (row.lines ?? []).map(lineFrom),
  };
}

const listCall: Call = {
  name: 'list_issued_invoices',
  text: 'select * from kelpie.list_issued_invoices($1, $2, $3, $4)',
};

/** The newest first. */
export async function listInvoices(
  calls: SingleCalls,
  partnerId: string,
  { fromPeriod, atMost }: { fromPeriod: Month; atMost: number },
): Promise<Invoice[]> {
  const rows = await calls.call<InvoiceRow>(listCall, [partnerId, fromPeriod, null, atMost]);
  return rows.map(invoiceFrom);
}

/** Null where there is none, or it is another partner's. */
export async function findInvoice(calls: SingleCalls, partnerId: string, id: string): Promise<Invoice | null> {
  const [row] = await calls.call<InvoiceRow>(listCall, [partnerId, '', id, 1]);
  return row === undefined ? null : invoiceFrom(row);
}

/** What an invoice is emailed about, and the column that says when it was. */
const emailedColumns = {
  issued: 'emailed_at',
  overdue: 'overdue_emailed_at',
  paid: 'paid_emailed_at',
} as const;
export type EmailedEvent = keyof typeof emailedColumns;

/** Says false where that email was posted before. */
export async function markEmailed(
  tx: Transaction,
  { id, event, at }: { id: string; event: EmailedEvent; at: Date },
): Promise<boolean> {
  const column = emailedColumns[event];
  const { rows } = await tx.query(
    `update kelpie.invoices set ${column} = $2 where id = $1 and ${column} is null returning id`,
    [id, at],
  );
  return rows.length === 1;
}

/** Where the transaction's partner wants its invoices now; null where it has not said, or nobody confirmed the address. */
export async function findBillingEmail(tx: Transaction, partnerId: string): Promise<string | null> {
  const { rows } = await tx.query<{ billing_email: string | null }>(
    'select billing_email from kelpie.partners where id = $1 and billing_email_confirmed_at is not null',
    [partnerId],
  );
  return rows[0]?.billing_email ?? null;
}

/** One entry of the ledger behind a line. */
export interface ChargedEntry {
  transferId: string;
  line: number;
  reason: string;
  amount: bigint;
  /** What it was posted for. */
  causeId: string;
  payoutId: string | null;
  reference: string | null;
  payoutAmount: Pence | null;
}

interface ChargeRow {
  transfer_id: string;
  line: number;
  reason: string;
  amount: string;
  cause_id: string;
  payout_id: string | null;
  reference: string | null;
  payout_amount_pence: string | null;
}

/** Where a page begins: after this entry. */
export interface Place {
  transferId: string;
  line: number;
}

interface ChargesAsked {
  span: Span;
  reasons: string[] | null;
  after: Place;
  atMost: number;
}

const listChargesCall: Call = {
  name: 'list_charges',
  text: 'select * from kelpie.list_charges($1, $2, $3, $4, $5, $6, $7, $8)',
};

/** In the order in which they were posted. `lines` are those that may have left the database. */
export async function listCharges(
  calls: SingleCalls,
  partnerId: string,
  { span, reasons, after, atMost }: ChargesAsked,
  lines: readonly string[],
): Promise<ChargedEntry[]> {
  const values = [...gatherValues(partnerId, span), reasons, after.transferId, after.line, atMost, lines];
  const rows = await calls.call<ChargeRow>(listChargesCall, values);
  return rows.map((row) => ({
    transferId: row.transfer_id,
    line: row.line,
    reason: row.reason,
    amount: BigInt(row.amount),
    causeId: row.cause_id,
    payoutId: row.payout_id,
    reference: row.reference,
    payoutAmount: row.payout_amount_pence === null ? null : BigInt(row.payout_amount_pence),
  }));
}

const booksCall: Call = {
  name: 'list_books_to_close',
  text: 'select partner_id from kelpie.list_books_to_close($1, $2, $3)',
};

/** Partners whose books are not closed until then, in the order of their ids. */
export async function listBooksToClose(
  calls: SingleCalls,
  { upto, afterPartner, atMost }: { upto: Date; afterPartner: string; atMost: number },
): Promise<string[]> {
  const rows = await calls.call<{ partner_id: string }>(booksCall, [upto, afterPartner, atMost]);
  return rows.map((row) => row.partner_id);
}

const countCall: Call = { name: 'count_books_to_close', text: 'select kelpie.count_books_to_close($1) as books' };

export async function countBooksToClose(calls: SingleCalls, upto: Date): Promise<number> {
  const [row] = await calls.call<{ books: string }>(countCall, [upto]);
  return Number(row?.books);
}

/**
 * Adds up the ledger of some months once more, by other means than the run: each entry is put into its month by the clocks of
 * London, and the months that are closed are held against the lines of their invoices. Then every invoice is held against
 * itself, the one before it and its number, and those of the months against what they booked.
 */
const differencesSql = `
  with posted as (
    select e.partner_id, to_char(kelpie.instant_of(e.transfer_id) at time zone 'Europe/London', 'YYYY-MM') as period,
      case when e.reason like 'credit.%' then 'credit' when e.reason like 'payout.%' then 'payout_fees'
        else substr(e.reason, 8) end as kind,
      sum(case when e.account = 'credit_due' then -e.amount else e.amount end) as amount
    from kelpie.booked_entries e
    where e.account in ('receivable', 'credit_due', 'accrued') and e.reason not like 'invoice.%'
      and e.transfer_id >= $2 and e.transfer_id < $3
    group by 1, 2, 3
  ),
  closed as (
    select p.partner_id, p.period, p.kind,
      case p.kind when 'network_fees' then floor((p.amount + 5000) / 10000) else p.amount end as amount
    from posted p join kelpie.closed_books b on b.partner_id = p.partner_id
    where p.period < to_char(b.closed_until at time zone 'Europe/London', 'YYYY-MM')
  ),
  lines as (
    select i.partner_id, i.period, l.kind,
      l.amount_pence - case l.kind when 'credit' then i.carried_in_pence else 0 end as amount
    from kelpie.invoice_lines l join kelpie.invoices i on i.id = l.invoice_id
    where i.period between $4 and $5
  ),
  sums as (
    select i.*, coalesce(s.charges, 0) as charges, coalesce(s.credit, 0) as credit, coalesce(s.network, 0) as network,
      lag(i.carried_out_pence, 1, 0::bigint) over (partition by i.partner_id order by i.period) as carried_before
    from kelpie.invoices i
    left join (
      select invoice_id, sum(amount_pence) filter (where kind <> 'credit') as charges,
        sum(amount_pence) filter (where kind = 'credit') as credit,
        sum(amount_pence) filter (where kind = 'network_fees') as network
      from kelpie.invoice_lines group by 1
    ) s on s.invoice_id = i.id
  ),
  booked as (
    select i.id, coalesce(sum(e.amount) filter (where e.account = 'receivable'), 0) as receivable,
      coalesce(sum(e.amount) filter (where e.account = 'credit_due'), 0) as credit_due,
      coalesce(sum(e.amount) filter (where e.account = 'accrued'), 0) as accrued
    from kelpie.invoices i left join kelpie.ledger_entries e on e.transfer_id = i.transfer_id and e.cause_id = i.id
    where i.period between $4 and $5
    group by 1
  )
  select 'line is not what was posted' as kind, coalesce(c.partner_id, l.partner_id) || ' ' || coalesce(c.period, l.period)
      || ' ' || coalesce(c.kind, l.kind) as what, coalesce(c.amount, 0)::text as expected, coalesce(l.amount::text, 'no line') as found
  from closed c full join lines l using (partner_id, period, kind)
  where c.amount is distinct from l.amount and not (c.amount is null and l.amount = 0)
  union all
  select 'invoice does not add up', number::text,
    greatest(charges - credit, 0) || ', leaving ' || greatest(credit - charges, 0), total_pence || ', leaving ' || carried_out_pence
  from sums where (total_pence, carried_out_pence) is distinct from (greatest(charges - credit, 0), greatest(credit - charges, 0))
  union all
  select 'invoice does not go on from the one before', number::text, carried_before::text, carried_in_pence::text
  from sums where carried_in_pence <> carried_before
  union all
  select 'invoice booked something else', s.number::text,
    (s.network - (s.charges - s.total_pence)) || ' receivable, ' || (s.charges - s.total_pence) || ' of credit, '
      || coalesce(-p.amount, 0) || ' accrued',
    b.receivable || ' receivable, ' || b.credit_due || ' of credit, ' || b.accrued || ' accrued'
  from sums s join booked b on b.id = s.id
  left join posted p on p.partner_id = s.partner_id and p.period = s.period and p.kind = 'network_fees'
  where (b.receivable, b.credit_due, b.accrued)
    is distinct from (s.network - (s.charges - s.total_pence), s.charges - s.total_pence, coalesce(-p.amount, 0))
  union all
  select 'numbers have a gap', 'after ' || before, (before + 1)::text, number::text
  from (select number, lag(number, 1, 0::bigint) over (order by number) as before from kelpie.invoices) n
  where number <> before + 1
  union all
  select 'counter is not the last number', '', (select coalesce(max(number), 0) from kelpie.invoices)::text, last_number::text
  from kelpie.invoice_counter where last_number <> (select coalesce(max(number), 0) from kelpie.invoices)
  limit $1`;

export interface MonthRange {
  first: Month;
  last: Month;
}

export async function listDifferences(tx: Transaction, months: MonthRange, limit: number): Promise<DifferenceRow[]> {
  const { first, last } = months;
  const values = [limit, firstIdAt(monthStart(first)), firstIdAt(monthEnd(last)), first, last];
  const { rows } = await tx.query<DifferenceRow>(differencesSql, values);
  return rows;
}

export async function countInvoices(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ invoices: string }>('select count(*) as invoices from kelpie.invoices');
  return Number(rows[0]?.invoices);
}
