-- Judges the code of an act that is no payout, and uses it up if it is right, in the transaction that performs the act.
-- Guarantees: what judge_confirmation does. If the act is undone, so is the use of its code.
-- Locks: the confirmation, then the person's guess counter.
-- Returns false for a wrong code. The caller must then commit, or the guess is not counted.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.confirm_act(
  of_partner uuid, of_session uuid, of_act_hmac bytea, of_email_hmac bytea, given_code_hmac bytea, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not kelpie.judge_confirmation(of_partner, of_session, of_act_hmac, of_email_hmac, given_code_hmac, at) then
    return false;
  end if;
  perform kelpie.use_confirmation(of_partner, of_session, of_act_hmac, of_email_hmac, at);
  return true;
end;
$$;
