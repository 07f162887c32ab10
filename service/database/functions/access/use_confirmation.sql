-- Uses up the code that judge_confirmation found right, in the commit that creates the payout.
-- Owner: kelpie_access
-- Callers: kelpie_payouts
create or replace function kelpie.use_confirmation(
  of_partner uuid, of_session uuid, of_order_hmac bytea, of_email_hmac bytea, at timestamptz
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.payout_confirmations c set tries = c.tries + 1, used_at = at
  where c.id = (
    select n.id from kelpie.payout_confirmations n
    where n.partner_id = of_partner and n.session_id = of_session and n.email_hmac = of_email_hmac
      and n.order_hmac = of_order_hmac
    order by n.created_at desc, n.id desc limit 1
  );
end;
$$;
