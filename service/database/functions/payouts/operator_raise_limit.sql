-- Raises how far the admins of a partner can raise its limits, which one operator proposed and another approves. The limits
-- themselves stay as they are.
-- Raises what take_proposal raises. Returns false where the highest limit is no longer what it was when it was proposed.
-- Locks: the proposal, the wallet, then the limits.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_raise_limit(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'limits.raise', of_partner::text, at);
  detail jsonb := proposal.detail::jsonb;
  of_environment kelpie.environment := (detail ->> 'environment')::kelpie.environment;
begin
  if not exists (
    select from kelpie.limits_of(of_partner, of_environment) l
    where l.highest_daily_pence is not distinct from (detail ->> 'from_pence')::bigint
      and l.highest_daily_pence < (detail ->> 'to_pence')::bigint
  ) then
    return false;
  end if;
  perform kelpie.keep_highest_limit(of_partner, of_environment, (detail ->> 'to_pence')::bigint);
  return true;
end;
$$;
