-- Whether an endpoint with so many failed attempts in a row gets one probe at a time. One that refuses a single event stays below.
-- Callers: everyone
create or replace function kelpie.is_failing(failures integer) returns boolean
  language sql immutable parallel safe
  return failures >= 5;
