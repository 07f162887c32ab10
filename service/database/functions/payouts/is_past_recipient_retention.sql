-- Whether a payout is older than the six years for which its recipient is kept, by the database's clock.
-- Callers: kelpie_payouts
create or replace function kelpie.is_past_recipient_retention(of_payout uuid) returns boolean
  language plpgsql stable
as $$
begin
  return kelpie.instant_of(of_payout) < now() - interval '6 years';
end;
$$;
