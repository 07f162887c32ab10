-- The day of an instant by the clocks of London: what a daily limit is for.
-- Callers: everyone
create or replace function kelpie.london_day(at timestamptz) returns date
  language sql immutable parallel safe
  return (at at time zone 'Europe/London')::date;
