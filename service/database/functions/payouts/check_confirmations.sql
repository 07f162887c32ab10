-- The part of create_payouts for payouts that a person confirms by an emailed code: releases the key of each whose code is
-- wrong. A right code is used up by create_payouts once the payout is granted.
-- Locks: confirmations and guess counters, in the order of the address.
-- Callers: kelpie_payouts
create or replace function kelpie.check_confirmations(
  inout outcomes text[],
  inout is_claimed boolean[],
  partner_ids uuid[],
  caller_ids uuid[],
  order_ids uuid[],
  payout_ids uuid[],
  instants timestamptz[],
  confirmation_places integer[],
  confirmation_orders bytea[],
  confirmation_emails bytea[],
  confirmation_codes bytea[]
)
  language plpgsql volatile
as $$
declare
  code record;
begin
  for code in
    select c.place, c.order_hmac, c.email_hmac, c.code_hmac
    from unnest(confirmation_places, confirmation_orders, confirmation_emails, confirmation_codes)
      as c (place, order_hmac, email_hmac, code_hmac)
    order by c.email_hmac, c.order_hmac
  loop
    continue when not is_claimed[code.place];
    if not kelpie.judge_confirmation(
      partner_ids[code.place], caller_ids[code.place], code.order_hmac, code.email_hmac, code.code_hmac, instants[code.place]
    ) then
      is_claimed[code.place] := false;
      outcomes[code.place] := 'not_confirmed';
      delete from kelpie.idempotency_keys k
      where k.order_id = order_ids[code.place] and k.payout_id = payout_ids[code.place];
    end if;
  end loop;
end;
$$;
