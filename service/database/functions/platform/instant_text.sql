-- Writes an instant as the API does, in UTC and to the millisecond.
-- Callers: everyone
create or replace function kelpie.instant_text(instant timestamptz) returns text
  language sql stable strict parallel safe
  return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
