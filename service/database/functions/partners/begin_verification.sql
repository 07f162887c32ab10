-- Records the bank's verification as that of the transaction's partner. Safe to repeat with the same id.
-- Guarantees: a partner has at most one verification that isn't rejected, and a verification never changes its partner.
-- Locks: the partner, then the verification. Concurrent requests of two admins run one after the other.
-- Returns 'begun'; 'under_way' when another verification of the partner isn't rejected, and stays the current one;
--   'anothers' when the id belongs to another partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.begin_verification(new_id text, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
begin
  -- Concurrent requests of two admins run one after the other: both could pass the check below otherwise.
  perform from kelpie.partners p where p.id = of_partner for no key update;
  if not found then
    raise exception 'no partner is set for this transaction' using errcode = 'insufficient_privilege';
  end if;
  if exists (
    select from kelpie.verifications v where v.partner_id = of_partner and v.state <> 'rejected' and v.id <> new_id
  ) then
    return 'under_way';
  end if;
  insert into kelpie.verifications as v (id, partner_id, state, started_at, changed_at, asked_at, due_at)
  -- Due in a minute, in case the process that starts it dies. It must not be due now: a webhook for a verification that is
  -- due starts no job, because one that is due counts as being polled.
  values (new_id, of_partner, 'action_required', at, at, at, at + interval '1 minute')
  on conflict (id) do update set started_at = excluded.started_at, due_at = least(v.due_at, excluded.due_at)
  where v.partner_id = of_partner;
  return case when found then 'begun' else 'anothers' end;
end;
$$;
