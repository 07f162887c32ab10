-- Begins to bring a month back: creates its tables, empty and not yet attached. What an earlier attempt left is dropped. Requires
-- an entry of `month.return` about it in the audit log in the same transaction.
-- Returns false where the month is not in the archive, or still in the database too.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.operator_begin_return(of_month date) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  suffix text := to_char(of_month, '_YYYY_MM');
  parent_name text;
begin
  perform kelpie.require_audit('month.return', to_char(of_month, 'YYYY-MM'));
  perform from kelpie.archived_months m where m.month = of_month and m.state in ('archived', 'returning') for update;
  if not found then
    return false;
  end if;
  foreach parent_name in array array['payouts', 'payout_history'] loop
    if exists (select from pg_inherits i where i.inhrelid = to_regclass('kelpie.' || parent_name || suffix)) then
      return false;
    end if;
    execute format('drop table if exists kelpie.%I', parent_name || suffix);
    execute format('create table kelpie.%I (like kelpie.%I including all)', parent_name || suffix, parent_name);
    -- For digest_moving_month.
    execute format('grant select on kelpie.%I to kelpie_payouts', parent_name || suffix);
  end loop;
  perform kelpie.make_moved_entries(of_month, 'back');
  update kelpie.archived_months m set state = 'returning', held_digest = null, held_entries = null where m.month = of_month;
  return true;
end;
$$;
