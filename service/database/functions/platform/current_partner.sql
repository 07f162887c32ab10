-- Returns the partner whose rows this transaction may see. Null when it isn't set: policies then match no row.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.current_partner() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('kelpie.partner_id', true), '')::uuid;
