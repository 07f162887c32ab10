-- Wakes a funding source after a webhook, so that a worker reads the bank's list now. The webhook names only the bank's
-- ids, so it bypasses row security to find the partner.
-- A known deposit may be older than what is normally read, so the next read goes back to when the deposit was first listed.
-- Each call raises `wakes`: a webhook that arrives during a read makes the source due again.
-- Locks: the source's row.
-- Returns whether the source is known, also when it was due before: the next scheduled read may not have started yet.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.wake_deposit(
  of_environment kelpie.environment, of_source_id text, of_deposit_id text, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.funding_sources f
  set wakes = f.wakes + 1, due_at = least(f.due_at, at), backfill_to = least(f.backfill_to, (
    select d.listed_at from kelpie.deposits d
    where d.environment = of_environment and d.bank_deposit_id = of_deposit_id
  ))
  where f.environment = of_environment and f.source_id = of_source_id;
  return found;
end;
$$;
