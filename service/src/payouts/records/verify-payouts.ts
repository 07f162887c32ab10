import { nearSpan, type DifferenceRow, type IdSpan } from '../../ledger/index.ts';
import type { ArchivedLine } from '../../archive/index.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';

/** Where payouts and their histories are read. */
interface Tables {
  /** What comes before the rest of a statement, and before a statement that has none. */
  with: string;
  withOnly: string;
  payouts: string;
  history: string;
  /** Narrows which other payouts are looked at. */
  others: string;
}

const inDatabase: Tables = {
  with: '',
  withOnly: '',
  payouts: 'kelpie.payouts',
  history: 'kelpie.payout_history',
  others: '',
};

/** With lines of the archive besides, which are few and read once, and without payouts of it that cannot be read. */
function withLines(place: number): Tables {
  const ofLines = `lines as materialized (select line::jsonb as line from unnest($${place}::text[]) as line),
  payouts_of_lines as materialized (
    select p.* from lines cross join lateral jsonb_populate_record(null::kelpie.payouts, line -> 'payout') p
  ),
  history_of_lines as materialized (
    select h.* from lines cross join lateral jsonb_populate_recordset(null::kelpie.payout_history, line -> 'history') h
  )`;
  return {
    with: `${ofLines}, `,
    withOnly: `with ${ofLines} `,
    payouts: '(select * from kelpie.payouts union all select * from payouts_of_lines)',
    history: '(select * from kelpie.payout_history union all select * from history_of_lines)',
    others: `and e.cause_id <> all ($${place + 1}::uuid[])`,
  };
}

const ofPayouts = `(e.reason like 'payout.%' or e.reason in ('charge.payout_fees', 'credit.payout_fees'))`;

/**
 * The entries of the payouts that were created in the span ($1 to $2), and all of those for which something was posted in it.
 * Nearly all are of the span itself and the hour around it ($3 to $4), which is read in one go. A return comes days later:
 * the history names its transfer, which is looked up. So the work follows the span, however much else there is.
 */
const entriesSql = (of: Tables): string => `
  near as (
    select e.transfer_id, e.cause_id, e.partner_id, e.environment, e.account, e.reason, e.amount
    from kelpie.ledger_entries e
    where e.transfer_id >= $3 and e.transfer_id < $4 and e.cause_id >= $1 and e.cause_id < $2 and ${ofPayouts}
  ),
  others as (
    select distinct e.cause_id as id from kelpie.ledger_entries e
    where e.transfer_id >= $1 and e.transfer_id < $2 and (e.cause_id < $1 or e.cause_id >= $2) and ${ofPayouts}
      ${of.others}
  ),
  looked_up as (
    select h.payout_id, named.transfer_id
    from ${of.history} h cross join unnest(h.transfer_ids) as named (transfer_id)
    where h.payout_id >= $1 and h.payout_id < $2 and (named.transfer_id < $3 or named.transfer_id >= $4)
    union all
    select o.id, named.transfer_id
    from others o
    cross join lateral (
      select unnest(h.transfer_ids) as transfer_id from ${of.history} h where h.payout_id = o.id offset 0
    ) named
  ),
  entries as (
    select * from near
    union all
    select e.*
    from looked_up l
    cross join lateral (
      select e.transfer_id, e.cause_id, e.partner_id, e.environment, e.account, e.reason, e.amount
      from kelpie.ledger_entries e
      where e.transfer_id = l.transfer_id and e.cause_id = l.payout_id and ${ofPayouts} offset 0
    ) e
  )`;

/** The same payouts themselves. */
const payoutsSql = (of: Tables): string => `
  touched as (
    select p.* from ${of.payouts} p where p.id >= $1 and p.id < $2
    union all
    select p.* from others o cross join lateral (select * from ${of.payouts} p where p.id = o.id offset 0) p
  )`;

/**
 * What the ledger must say of each payout, from its state and its own figures alone: the partner's money is held while it is
 * open, is gone once it arrived, and is back if it failed. W is the wallet debit, B what the bank debited, R what it gave back.
 * A payout that failed at the bank before it said what it took is held until two operators release it, so either is right.
 * A return whose amount is in question is in suspense instead of the wallet. What came to the wallet counts with what of it
 * repaid a debt.
 */
const booksSql = (of: Tables): string => `
  with ${of.with}${entriesSql(of)}, ${payoutsSql(of)},
  books as (
    select cause_id, partner_id, environment,
      coalesce(sum(amount) filter (where account in ('wallet', 'partner_receivable')), 0) as wallet,
      coalesce(sum(amount) filter (where account = 'held'), 0) as held,
      coalesce(sum(amount) filter (where account = 'in_transit'), 0) as in_transit,
      coalesce(sum(amount) filter (where account = 'bank_wallet'), 0) as bank_wallet,
      coalesce(sum(amount) filter (where account = 'fx'), 0) as fx,
      coalesce(sum(amount) filter (where account = 'suspense'), 0) as suspense,
      coalesce(sum(amount) filter (where account = 'exception_loss'), 0) as exception_loss,
      coalesce(sum(amount) filter (where account in ('receivable', 'credit_due')), 0) as fee,
      min(amount) filter (where account = 'wallet' and reason = 'payout.hold') as least_hold,
      max(amount) filter (where account = 'wallet' and reason = 'payout.hold') as most_hold
    from entries
    group by cause_id, partner_id, environment
  ),
  standings as (
    select p.id, p.partner_id, p.environment, p.state, p.wallet_debit_micro_usdc as w, coalesce(p.bank_debited_micro_usdc, 0) as b,
      coalesce(p.bank_refunded_micro_usdc, 0) as r, p.fee_pence - p.provider_fee_pence as fee,
      case
        when p.state in ('sending', 'pending', 'processing') then 'held'
        when p.state = 'completed' then 'arrived'
        when p.state = 'returned' then 'returned'
        when p.bank_refunded_micro_usdc is not null then 'refunded'
        when p.state = 'failed' and p.bank_debited_micro_usdc is not null then 'held'
        when p.state = 'failed' and p.bank_payment_id is not null then 'held or released'
        else 'released'
      end as standing
    from touched p
  ),
  compared as (
    select coalesce(s.id, b.cause_id) as id, s.id is null as is_unknown, w, b.least_hold, b.most_hold,
      row(
        case s.standing when 'held' then w when 'arrived' then w when 'returned' then w - r - coalesce(b.suspense, 0)
          when 'held or released' then b.wallet else 0 end,
        case s.standing when 'held' then -w when 'held or released' then -b.wallet else 0 end,
        case s.standing when 'held' then s.b else 0 end,
        r - s.b,
        case when s.standing in ('arrived', 'returned') then s.b - w else 0 end,
        case s.standing when 'refunded' then -greatest(r - s.b, 0)
          when 'returned' then case when b.suspense = 0 then 0 else -r end else 0 end,
        case s.standing when 'refunded' then greatest(s.b - r, 0) else 0 end,
        case when s.environment = 'live' and s.standing = 'arrived' then s.fee else 0 end
      )::text as expected,
      row(b.wallet, b.held, b.in_transit, b.bank_wallet, b.fx, b.suspense, b.exception_loss, b.fee)::text as found
    from standings s
    full join books b on b.cause_id = s.id and b.partner_id = s.partner_id and b.environment = s.environment
  )
  select 'entries of no payout' as kind, id::text as what, 'none' as expected, found from compared where is_unknown
  union all
  select 'payout is not what was booked for it', id || ' (wallet, held, in transit, bank wallet, fx, suspense, loss, fee)',
    expected, found
  from compared where not is_unknown and found is distinct from expected
  union all
  select 'hold is not the debit of the payout', id::text, w::text, least_hold || ' to ' || most_hold
  from compared where not is_unknown and (least_hold <> w or most_hold <> w)
  limit $5`;

/** The history of a payout names what was posted for it and nothing else, counts its changes, and ends in its state. */
const historySql = (of: Tables): string => `
  with ${of.with}${entriesSql(of)}, ${payoutsSql(of)},
  changes as (
    select h.payout_id, h.number, h.state, h.transfer_ids from ${of.history} h where h.payout_id >= $1 and h.payout_id < $2
    union all
    select h.*
    from others o
    cross join lateral (
      select h.payout_id, h.number, h.state, h.transfer_ids from ${of.history} h where h.payout_id = o.id offset 0
    ) h
  ),
  histories as (
    select payout_id, count(*) as changes, max(number) as last, (array_agg(state order by number desc))[1] as state
    from changes group by payout_id
  ),
  named as (select payout_id, unnest(transfer_ids) as transfer_id from changes),
  posted as (
    select distinct cause_id, transfer_id from entries
    union
    select e.cause_id, e.transfer_id from kelpie.ledger_entries e
    where e.transfer_id >= $1 and e.transfer_id < $2 and (e.cause_id < $1 or e.cause_id >= $2) and ${ofPayouts}
      ${of.others}
  )
  select 'history is not whole' as kind, coalesce(p.id, h.payout_id)::text as what,
    coalesce(p.revision || ' changes to ' || p.state, 'no payout') as expected,
    coalesce(h.changes || ' changes to ' || h.state, 'no history') as found
  from touched p full join histories h on h.payout_id = p.id
  where (p.revision, p.revision, p.state) is distinct from (h.changes, h.last, h.state)
  union all
  select case when p.transfer_id is null then 'transfer of a payout was not posted'
      else 'transfer is not in the history of its payout' end,
    coalesce(p.transfer_id, n.transfer_id)::text, coalesce(n.payout_id::text, 'none'), coalesce(p.cause_id::text, 'none')
  from posted p full join named n on n.payout_id = p.cause_id and n.transfer_id = p.transfer_id
  where p.transfer_id is null or n.transfer_id is null
  limit $5`;

/** The key of each payout stands for a payout of the same order. */
const keysSql = (of: Tables): string => `
  ${of.withOnly}select 'key stands for another payout' as kind, p.id::text as what, p.partner_id || ' ' || p.environment as expected,
    coalesce(k.partner_id || ' ' || k.environment, 'no key') as found
  from ${of.payouts} p
  left join lateral (
    select k.partner_id, k.environment,
      case k.payout_id when p.id then p.order_id
        else coalesce(
          (select holder.order_id from kelpie.payouts holder where holder.id = k.payout_id),
          -- Its order was checked when it was in the database.
          case when kelpie.is_in_archive(k.payout_id) then p.order_id end
        ) end as held_order
    from kelpie.idempotency_keys k where k.order_id = p.order_id offset 0
  ) k on true
  where p.id >= $1 and p.id < $2
    and (k.partner_id, k.environment, k.held_order) is distinct from (p.partner_id, p.environment, p.order_id)
  limit $3`;

/** Payouts of a span, or for which something was posted in it, that have left the database. */
export interface LeftPayouts {
  lines: readonly ArchivedLine[];
  /** Those that nobody can read here. They are left out. */
  unread: readonly string[];
}

/** Holds the payouts of a span against the ledger and their own history, as the reading role. */
export async function verifyPayouts(
  tx: Transaction,
  span: IdSpan,
  most: number,
  { lines, unread }: LeftPayouts = { lines: [], unread: [] },
): Promise<DifferenceRow[]> {
  const near = nearSpan(span);
  const isWhole = lines.length + unread.length === 0;
  const left = isWhole ? [] : [lines.map(({ text }) => text), unread];
  const tablesAt = (place: number): Tables => (isWhole ? inDatabase : withLines(place));
  const values = [span.first, span.before, near.first, near.before, most, ...left];
  const books = await tx.query<DifferenceRow>(booksSql(tablesAt(6)), values);
  const histories = await tx.query<DifferenceRow>(historySql(tablesAt(6)), values);
  const keys = await tx.query<DifferenceRow>(keysSql(tablesAt(4)), [
    span.first,
    span.before,
    most,
    ...left.slice(0, 1),
  ]);
  return [...books.rows, ...histories.rows, ...keys.rows];
}

/** Keys stay when their payouts leave: those of some lines of the archive, which are of a span. */
export async function verifyArchivedKeys(
  tx: Transaction,
  { first, before }: IdSpan,
  most: number,
  lines: readonly ArchivedLine[],
): Promise<DifferenceRow[]> {
  const values = [first, before, most, lines.map(({ text }) => text)];
  return (await tx.query<DifferenceRow>(keysSql(withLines(4)), values)).rows;
}

interface OutsiderRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
}

/** Payouts of before an id and outside of the span, for which something was posted in it. */
export async function listEarlierPayouts(
  tx: Transaction,
  span: IdSpan,
  beforeId: string,
): Promise<(PartnerContext & { id: string })[]> {
  const { rows } = await tx.query<OutsiderRow>(
    `select distinct e.cause_id as id, e.partner_id, e.environment from kelpie.ledger_entries e
     where e.transfer_id >= $1 and e.transfer_id < $2 and (e.cause_id < $1 or e.cause_id >= $2) and e.cause_id < $3
       and ${ofPayouts}`,
    [span.first, span.before, beforeId],
  );
  return rows.map(({ id, partner_id: partnerId, environment }) => ({ id, partnerId, environment }));
}
