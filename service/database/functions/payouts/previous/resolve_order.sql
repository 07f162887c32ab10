-- For the version before resolve_used_order, while both run.
-- What an order id stands for, where create_payouts found it taken. Writes nothing.
-- Returns one row:
--   exists        a payout, or an attempt with another body: the caller reads it
--   free          nothing any more: the caller tries again
--   retry         an attempt of which nothing was sent, with the same body or a released key. The payout and revision name
--                 the attempt to take over, in this round of the bank's idempotency key
--   in_question   the same, in a new round, while a person looks at a payment that the bank has for it
-- The bank keeps a key for a day and for one body. Past that, or for another body, the retry begins a new round, in which
-- the bank would pay again.
-- Callers: everyone
create or replace function kelpie.resolve_order(
  of_partner uuid, of_environment kelpie.environment, of_order_id uuid, of_fingerprint bytea, at timestamptz
) returns table (
  outcome text, attempt_payout_id uuid, attempt_revision integer, bank_round integer, round_began_at timestamptz
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  claim record;
  is_new_round boolean;
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  select k.payout_id, k.fingerprint, k.bank_round, k.round_began_at, p.state, p.revision into claim
  from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id
  where k.order_id = of_order_id;
  if not found then
    outcome := 'free';
    return next;
    return;
  end if;
  if claim.state <> 'not_created' or claim.fingerprint not in (of_fingerprint, '') then
    outcome := 'exists';
    return next;
    return;
  end if;
  is_new_round := claim.fingerprint = '' or claim.round_began_at < at - interval '23 hours';
  outcome := case
    -- That version would begin a round without a search.
    when is_new_round then 'in_question'
    else 'retry'
  end;
  attempt_payout_id := claim.payout_id;
  attempt_revision := claim.revision;
  bank_round := claim.bank_round + is_new_round::integer;
  round_began_at := case when is_new_round then at else claim.round_began_at end;
  return next;
end;
$$;
