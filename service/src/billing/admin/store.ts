import type { Pence } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';
import type { Month } from '../../platform/london-month.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceFrom, type InvoiceRow } from '../invoices/store.ts';

// Operators' billing queries over all partners. They run as kelpie_reader.

export interface AdminInvoice extends Invoice {
  partner: string;
}

type AdminInvoiceRow = InvoiceRow & { slug: string };

const invoiceColumns = `p.slug, i.id, i.number, i.period, i.begins_at, i.ends_at, i.status, i.total_pence, i.carried_in_pence,
  i.carried_out_pence, i.issued_at, i.due_at, (
    select jsonb_agg(
      jsonb_build_array(l.kind, l.description, l.quantity::text, l.unit_price_pence::text, l.amount_pence::text, l.items::text)
      order by l.place
    )
    from kelpie.invoice_lines l where l.invoice_id = i.id
  ) as lines`;

function adminViewOf(row: AdminInvoiceRow): AdminInvoice {
  return { ...invoiceFrom(row), partner: row.slug };
}

interface InvoiceFilter {
  /** Null matches all. */
  partnerId: string | null;
  period: Month | null;
  /** Only unpaid invoices that were due before this. */
  overdueAt: Date | null;
  atMost: number;
}

/** Newest first. */
export async function listAdminInvoices(tx: Transaction, filter: InvoiceFilter): Promise<AdminInvoice[]> {
  const { rows } = await tx.query<AdminInvoiceRow>(
    `select ${invoiceColumns} from kelpie.invoices i join kelpie.partners p on p.id = i.partner_id
     where ($1::uuid is null or i.partner_id = $1) and ($2::text is null or i.period = $2)
       and ($3::timestamptz is null or (i.status = 'issued' and i.total_pence > 0 and i.due_at < $3))
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
