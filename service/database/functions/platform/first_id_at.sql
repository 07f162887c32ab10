-- Returns the smallest UUIDv7 of an instant, to compare ids with. Month partitions begin at such an id.
-- Callers: everyone
create or replace function kelpie.first_id_at(instant timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
