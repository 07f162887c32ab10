-- Returns the environment whose rows this transaction may see. Null when it isn't set: policies then match no row.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.current_environment() returns kelpie.environment
  language sql stable parallel safe
  return nullif(current_setting('kelpie.environment', true), '')::kelpie.environment;
