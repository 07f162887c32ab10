-- Calls gather_charges in one round trip, for a caller without a transaction in the partner's context. Live only.
-- Callers: everyone
create or replace function kelpie.read_charges(of_partner uuid, from_id uuid, before_id uuid)
  returns table (reason text, is_taken_back boolean, items bigint, amount numeric)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'live');
  return query select * from kelpie.gather_charges(of_partner, from_id, before_id);
end;
$$;
