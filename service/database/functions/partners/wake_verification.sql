-- Wakes a verification after a webhook, so that the bank is polled now. The webhook names only the bank's id, so it
-- bypasses row security to find the partner.
-- Locks: the verification's row.
-- Returns whether this made it due, so that the caller starts a job. False when it was due already or is unknown.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.wake_verification(of_id text, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  was_due_at timestamptz;
begin
  select v.due_at into was_due_at from kelpie.verifications v where v.id = of_id for no key update;
  if not found then
    return false;
  end if;
  -- Also when it is due: a worker that is polling now may have asked the bank before this webhook.
  update kelpie.verifications v set woken_at = at, due_at = least(v.due_at, at) where v.id = of_id;
  return was_due_at is null or was_due_at > at;
end;
$$;
