-- Stops a partner's live payouts because one of its admins says so, by a link in an email.
-- Guarantees: only for a person who is an admin of that partner now. Operators lift it.
-- Returns `frozen`; `was_frozen` if they were already; `not_admin`, and changes nothing.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.freeze_live(of_partner uuid, of_email text, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (
    select from kelpie.members m where m.partner_id = of_partner and m.email = of_email and m.role = 'admin'
  ) then
    return 'not_admin';
  end if;
  -- The author's column is shorter than an address can be; the reason has all of it.
  if kelpie.add_payment_block(
    'frozen', null, of_partner, 'live', format('frozen by its admin %s', of_email), at, left(of_email, 80)
  ) is null then
    return 'was_frozen';
  end if;
  return 'frozen';
end;
$$;
