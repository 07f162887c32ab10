-- Returns a new UUIDv7 of an instant, for rows that the database makes by itself.
-- Callers: everyone
create or replace function kelpie.new_id_at(instant timestamptz) returns uuid
  language sql volatile strict parallel safe
  return (
    lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid;
