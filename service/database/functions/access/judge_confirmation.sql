-- Whether a code confirms a payout: the newest one emailed for this order, within five minutes, once, with five tries.
-- A guess is counted before it is judged; a right one is not kept as a guess. use_confirmation uses the code up.
-- Of a person who needs a passkey, no code counts before the passkey has proven the same (use_passkey).
-- Locks: the confirmation, then the address's guess counter. Guesses at the same code wait for each other.
-- Owner: kelpie_access
-- Callers: kelpie_payouts
create or replace function kelpie.judge_confirmation(
  of_partner uuid, of_session uuid, of_order_hmac bytea, of_email_hmac bytea, given_code_hmac bytea, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  newest record;
begin
  select c.id, c.code_hmac, c.tries, c.used_at, c.proven_at, c.created_at into newest from kelpie.payout_confirmations c
  where c.partner_id = of_partner and c.session_id = of_session and c.email_hmac = of_email_hmac
    and c.order_hmac = of_order_hmac
  order by c.created_at desc, c.id desc limit 1 for update;
  if not found or newest.used_at is not null or newest.tries >= 5 or newest.created_at <= at - interval '5 minutes' then
    return false;
  end if;
  -- Before the code is looked at: who lacks the passkey learns nothing of it.
  if newest.proven_at is null and kelpie.needs_passkey(of_partner, (
    select s.email from kelpie.sessions s where s.id = of_session
  )) then
    update kelpie.payout_confirmations c set tries = c.tries + 1 where c.id = newest.id;
    return false;
  end if;
  if not kelpie.may_guess(of_email_hmac, at) or newest.code_hmac is distinct from given_code_hmac then
    update kelpie.payout_confirmations c set tries = c.tries + 1 where c.id = newest.id;
    return false;
  end if;
  update kelpie.wrong_guesses g set guesses = g.guesses - 1
  where g.email_hmac = of_email_hmac and g.on_day = (at at time zone 'utc')::date;
  return true;
end;
$$;
