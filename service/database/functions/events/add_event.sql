-- Adds an event of the transaction's partner, in the commit that makes the change. `snapshot` is the resource as the API shows
-- it now. Payouts have their own way: create_payouts and apply_transitions.
-- Guarantees: it waits for no lock, and numbers nothing.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.add_event(
  of_type kelpie.event_type, of_environment kelpie.environment, of_subject uuid, new_version integer, at timestamptz, snapshot jsonb
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if of_type::text like 'payout.%' or snapshot is null then
    raise exception 'an event of % is not added by itself', of_type using errcode = 'check_violation';
  end if;
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
  values (kelpie.current_partner(), of_environment, of_type, of_subject, new_version, at, snapshot);
end;
$$;
