-- Whether the month of a payout is in the archive, or on its way there or back. Its rows do not change then.
-- Callers: everyone
create or replace function kelpie.is_in_archive(of_payout uuid) returns boolean
  language plpgsql stable
as $$
begin
  -- Nothing younger is archived, so a change of a recent payout reads no table.
  if kelpie.instant_of(of_payout) >= now() - interval '12 months' then
    return false;
  end if;
  return exists (
    select from kelpie.archived_months m
    where m.month = date_trunc('month', kelpie.instant_of(of_payout) at time zone 'utc')::date
  );
end;
$$;
