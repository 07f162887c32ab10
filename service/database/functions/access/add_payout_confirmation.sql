-- Records a confirmation code that is emailed for a payout. From then on only this code confirms that payout.
-- Guarantees: at most five codes per person and hour, across all of the person's sessions.
-- Locks: an advisory lock on the person's email digest, until commit.
-- Returns null when the code was added. Otherwise nothing is written, and it returns when the next code may be requested.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.add_payout_confirmation(
  new_id uuid, of_partner uuid, of_session uuid, of_email_hmac bytea, of_order_hmac bytea, new_code_hmac bytea, at timestamptz
) returns timestamptz
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  fifth_last timestamptz;
begin
  -- Concurrent requests are counted one after the other: both could pass the limit otherwise.
  perform pg_advisory_xact_lock(hashtextextended(encode(of_email_hmac, 'hex'), 1));
  select c.created_at into fifth_last from kelpie.payout_confirmations c
  where c.email_hmac = of_email_hmac and c.created_at > at - interval '1 hour'
  order by c.created_at desc offset 4 limit 1;
  if found then
    return fifth_last + interval '1 hour';
  end if;
  insert into kelpie.payout_confirmations (id, partner_id, session_id, email_hmac, order_hmac, code_hmac, created_at)
  values (new_id, of_partner, of_session, of_email_hmac, of_order_hmac, new_code_hmac, at);
  return null;
end;
$$;
