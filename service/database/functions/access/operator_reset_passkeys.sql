-- Removes all passkeys of a member, which one operator proposed and another approves. The proposal has the address. It ends the
-- member's sessions of the account, and gives no session: the member signs in with a code and adds a passkey.
-- Raises what take_proposal raises. Returns false where there is no such member.
-- Locks: the proposal, the member, then the sessions.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.operator_reset_passkeys(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'member.reset_passkeys', of_partner::text, at);
begin
  return kelpie.forget_passkeys(of_partner, proposal.detail::jsonb ->> 'email', at) is not null;
end;
$$;
