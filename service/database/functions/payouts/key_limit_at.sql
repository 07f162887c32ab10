-- The daily limit of an API key at an instant; null where it has none. A key that was created with an emailed code alone
-- starts with 1,000.00 a day, whatever its own limit, until full_limit_at.
-- Callers: everyone
create or replace function kelpie.key_limit_at(daily_limit_pence bigint, full_limit_at timestamptz, at timestamptz) returns bigint
  language sql immutable parallel safe
  return case when full_limit_at > at then least(daily_limit_pence, 100000) else daily_limit_pence end;
