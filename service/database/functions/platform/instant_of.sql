-- Returns the instant in a UUIDv7, to the millisecond.
-- Callers: everyone
create or replace function kelpie.instant_of(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x' || lpad(replace(left(id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0);
