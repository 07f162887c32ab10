-- Raises KP440 if the month of a payout is in the archive, or on its way there or back.
-- Callers: everyone
create or replace function kelpie.require_month_here(of_payout uuid) returns void
  language plpgsql stable
as $$
begin
  if kelpie.is_in_archive(of_payout) then
    raise exception 'the month of the payout is in the archive' using errcode = 'KP440';
  end if;
end;
$$;
