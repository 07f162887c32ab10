-- Uses up the proof by passkey of an act that is no payout, in the transaction that performs the act. A passkey takes the place
-- of the emailed code.
-- Guarantees: one proof performs one act, within five minutes of its request. If the act is undone, so is the use.
-- Locks: the confirmation.
-- Returns false where the newest request to confirm this act in this session was not proven, or was used.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.confirm_act_by_passkey(
  of_partner uuid, of_session uuid, of_act_hmac bytea, of_email_hmac bytea, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.payout_confirmations c set tries = c.tries + 1, used_at = at
  where c.id = (
    select n.id from kelpie.payout_confirmations n
    where n.partner_id = of_partner and n.session_id = of_session and n.email_hmac = of_email_hmac
      and n.order_hmac = of_act_hmac
    order by n.created_at desc, n.id desc limit 1
  ) and c.proven_at is not null and c.used_at is null and c.tries < 5 and c.created_at > at - interval '5 minutes';
  return found;
end;
$$;
