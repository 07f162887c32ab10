import type { DifferenceRow } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/**
 * What the ledger must say of each payout, from its state and its own figures alone: the partner's money is held while it is
 * open, is gone once it arrived, and is back if it failed. W is the wallet debit, B what the bank debited, R what it gave back.
 * A payout that failed at the bank before it said what it took is held until two operators release it, so either is right.
 * A return whose amount is in question is in suspense instead of the wallet.
 */
const booksSql = `
  with books as (
    select cause_id, partner_id, environment,
      coalesce(sum(amount) filter (where account = 'wallet'), 0) as wallet,
      coalesce(sum(amount) filter (where account = 'held'), 0) as held,
      coalesce(sum(amount) filter (where account = 'in_transit'), 0) as in_transit,
      coalesce(sum(amount) filter (where account = 'bank_wallet'), 0) as bank_wallet,
      coalesce(sum(amount) filter (where account = 'fx'), 0) as fx,
      coalesce(sum(amount) filter (where account = 'suspense'), 0) as suspense,
      coalesce(sum(amount) filter (where account = 'exception_loss'), 0) as exception_loss,
      coalesce(sum(amount) filter (where account in ('receivable', 'credit_due')), 0) as fee,
      min(amount) filter (where account = 'wallet' and reason = 'payout.hold') as least_hold,
      max(amount) filter (where account = 'wallet' and reason = 'payout.hold') as most_hold
    from kelpie.ledger_entries
    where reason like 'payout.%' or reason in ('charge.payout_fees', 'credit.payout_fees')
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
    from kelpie.payouts p
  ),
  compared as (
    select coalesce(s.id, b.cause_id) as id, s.id is null as is_unknown, s.standing,
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
      case when b.cause_id is null then 'nothing'
        else row(b.wallet, b.held, b.in_transit, b.bank_wallet, b.fx, b.suspense, b.exception_loss, b.fee)::text end as found,
      w, b.least_hold, b.most_hold
    from standings s full join books b on b.cause_id = s.id and b.partner_id = s.partner_id and b.environment = s.environment
  )
  select 'entries of no payout' as kind, id::text as what, 'none' as expected, found from compared where is_unknown
  union all
  select 'payout is not what was booked for it', id || ' (wallet, held, in transit, bank wallet, fx, suspense, loss, fee)', expected, found
  from compared where not is_unknown and found is distinct from expected
  union all
  select 'hold is not the debit of the payout', id::text, w::text, least_hold || ' to ' || most_hold
  from compared where not is_unknown and (least_hold <> w or most_hold <> w)
  limit $1`;

/** The history of a payout names every transfer that was posted for it, and ends in its state. */
const historySql = `
  with histories as (
    select payout_id, count(*) as changes, max(number) as last, (array_agg(state order by number desc))[1] as state
    from kelpie.payout_history group by payout_id
  ),
  named as (select payout_id, unnest(transfer_ids) as transfer_id from kelpie.payout_history),
  posted as (select distinct cause_id, transfer_id from kelpie.ledger_entries where reason like 'payout.%')
  select 'history is not whole' as kind, coalesce(p.id, h.payout_id)::text as what,
    coalesce(p.revision || ' changes to ' || p.state, 'no history') as expected,
    coalesce(h.changes || ' changes to ' || h.state, 'no history') as found
  from kelpie.payouts p full join histories h on h.payout_id = p.id
  where (p.revision, p.revision, p.state) is distinct from (h.changes, h.last, h.state)
  union all
  select 'transfer is not in the history of its payout', coalesce(p.transfer_id, n.transfer_id)::text,
    coalesce(n.payout_id::text, 'none'), coalesce(p.cause_id::text, 'none')
  from posted p full join named n on n.payout_id = p.cause_id and n.transfer_id = p.transfer_id
  where p.transfer_id is null or n.transfer_id is null
  union all
  select 'key stands for another payout', k.order_id::text, k.partner_id || ' ' || k.environment,
    coalesce(p.partner_id || ' ' || p.environment, 'no payout')
  from kelpie.idempotency_keys k left join kelpie.payouts p on p.id = k.payout_id
  where (k.partner_id, k.environment, k.order_id) is distinct from (p.partner_id, p.environment, p.order_id)
  limit $1`;

/** Holds every payout against the ledger and its own history, as the reading role. */
export async function verifyPayouts(tx: Transaction, most: number): Promise<DifferenceRow[]> {
  const books = await tx.query<DifferenceRow>(booksSql, [most]);
  const history = await tx.query<DifferenceRow>(historySql, [most]);
  return [...books.rows, ...history.rows];
}
