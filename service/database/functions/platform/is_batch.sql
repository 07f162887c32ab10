-- Returns whether this transaction writes for many partners at once. The functions that it calls must check each partner.
-- Callers: everyone
create or replace function kelpie.is_batch() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('kelpie.batch', true), '') = 'on';
