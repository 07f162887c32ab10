-- Closes live, because the database may have forgotten what the bank did: adds the block `recovery`, and a row that says
-- since when something may be missing. If a recovery is in progress, it goes on.
-- Callers: kelpie_payouts
create or replace function kelpie.begin_recovery(why text, at timestamptz, begun_by text) returns void
  language plpgsql volatile
as $$
begin
  insert into kelpie.recoveries (id, began_at, begun_by, reason, lost_since)
  select gen_random_uuid(), begin_recovery.at, begin_recovery.begun_by, why, h.at from kelpie.heartbeat h
  on conflict do nothing;
  perform kelpie.add_payment_block('recovery', 'provider_production', null, null, why, at, begin_recovery.begun_by);
end;
$$;
