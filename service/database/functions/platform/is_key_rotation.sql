-- Whether an operator's audit entry for a change of keys stands at the head of the log, from this very transaction. For
-- triggers that keep rows as they are, which run with their caller's rights: only kelpie_payouts may replace a ciphertext.
-- Owner: kelpie_payouts
-- Callers: kelpie_payouts
create or replace function kelpie.is_key_rotation() returns boolean
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from kelpie.audit_log a
    where a.seq = (select h.seq from kelpie.audit_head h)
      and a.tx = pg_current_xact_id() and a.action = 'encryption_keys.rotate'
  )
$$;
