-- Attaches the tables of a month that was loaded again; the database answers for it from then on. Requires an entry of
-- `month.returned` about it in the audit log in the same transaction.
-- Guarantees: they hold what was archived, by the digest that the database made of it then, and now of them
--   (digest_moving_month, digest_moving_entries).
-- Returns false where they don't, or the month does not return.
-- A wait over 300 ms for a table raises lock_not_available, and the caller retries.
-- Locks: an advisory lock, as make_month_partition takes, then the tables.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.operator_finish_return(of_month date) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '300ms'
as $$
declare
  began timestamptz := of_month::timestamp at time zone 'utc';
  first_id uuid := kelpie.first_id_at(began);
  before_id uuid := kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc');
  suffix text := to_char(of_month, '_YYYY_MM');
  archived kelpie.archived_months;
  parent record;
begin
  perform kelpie.require_audit('month.returned', to_char(of_month, 'YYYY-MM'));
  select m.* into archived from kelpie.archived_months m where m.month = of_month and m.state = 'returning' for update;
  if not found then
    return false;
  end if;
  if archived.held_digest is distinct from archived.payouts || ' ' || archived.rows_digest then
    return false;
  end if;
  if archived.held_entries is distinct from archived.entries || ' ' || archived.entries_digest then
    return false;
  end if;
  -- With its sums and statements; before any table is locked, because they can be many.
  delete from kelpie.archived_months m where m.month = of_month;
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  for parent in select * from (values ('payouts', 'id'), ('payout_history', 'payout_id')) as one (name, key) loop
    -- With a check that says the same, attaching reads no row while it holds the table.
    execute format(
      'alter table kelpie.%I add constraint of_month check (%I >= %L and %I < %L)',
      parent.name || suffix, parent.key, first_id, parent.key, before_id
    );
    execute format('revoke all on kelpie.%I from kelpie_payouts', parent.name || suffix);
    perform kelpie.attach_month_partition(parent.name, parent.name || suffix, began);
    execute format('alter table kelpie.%I drop constraint of_month', parent.name || suffix);
  end loop;
  -- What was loaded again, with what had stayed, takes the place of what had stayed.
  execute format('drop table kelpie.%I', 'ledger_entries' || suffix);
  execute format('alter table kelpie.%I rename to %I', 'ledger_entries' || suffix || '_back', 'ledger_entries' || suffix);
  perform kelpie.attach_moved_entries(of_month);
  return true;
end;
$$;
