-- What an order id stands for, where create_payouts found it taken. Writes nothing.
-- Returns one row:
--   exists        a payout, or an attempt with another body: the caller reads it
--   free          nothing any more: the caller tries again
--   retry         an attempt of which nothing was sent, with the same body or a released key. The payout and revision name
--                 the attempt to take over; the round and its beginning are those of that attempt
--   in_question   the same, while a person looks at any attempt of this order, or once a correction was made for one: its
--                 payment is in the books already
-- The bank keeps a key for a day and for one body, and a refusal under it as well. Past that, for another body, or after a
-- refusal, a retry needs a new round, in which the bank would pay again. So before one, the caller searches the bank's list for
-- the order, from claimed_at on.
-- Callers: everyone
create or replace function kelpie.resolve_used_order(
  of_partner uuid, of_environment kelpie.environment, of_order_id uuid, of_fingerprint bytea, at timestamptz
) returns table (
  outcome text, attempt_payout_id uuid, attempt_revision integer, bank_round integer, round_began_at timestamptz,
  needs_new_round boolean, claimed_at timestamptz
)
  language plpgsql volatile
  -- Rows are found by their keys alone. A plan made while a table was small would read all of it later.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  claim record;
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  select k.payout_id, k.fingerprint, k.bank_round, k.round_began_at, k.claimed_at, p.state, p.revision, p.bank_state
  into claim
  from kelpie.idempotency_keys k left join kelpie.payouts p on p.id = k.payout_id
  where k.order_id = of_order_id;
  if not found then
    outcome := 'free';
    return next;
    return;
  end if;
  -- A payout in the archive has no row.
  if claim.state is distinct from 'not_created' or claim.fingerprint not in (of_fingerprint, '') then
    outcome := 'exists';
    return next;
    return;
  end if;
  needs_new_round := claim.fingerprint = '' or claim.round_began_at < at - interval '23 hours'
    or claim.bank_state is not distinct from 'refused';
  outcome := case
    -- A case is about a payout, or about what the bank has for it. A partner has few.
    when exists (
      select from kelpie.cases c join kelpie.payouts p on p.id = coalesce(c.payout_id, c.related_id)
      where c.partner_id = of_partner and c.environment = of_environment and p.order_id = of_order_id
        and (c.closed_at is null or exists (
          select from kelpie.case_history h where h.case_id = c.id and h.what = 'corrected'
        ))
    ) then 'in_question'
    else 'retry'
  end;
  attempt_payout_id := claim.payout_id;
  attempt_revision := claim.revision;
  bank_round := claim.bank_round;
  round_began_at := claim.round_began_at;
  claimed_at := claim.claimed_at;
  return next;
end;
$$;
