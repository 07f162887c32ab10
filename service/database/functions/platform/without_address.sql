-- Returns a text with "erased" in place of this email address. A longer address that has this one within it stays: it is
-- another person's.
-- Callers: everyone
create or replace function kelpie.without_address(of_text text, email text) returns text
  language sql immutable parallel safe
  return regexp_replace(
    of_text,
    '(^|[^[:alnum:]._%+-])' || regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]-]|\.[[:alnum:]])',
    '\1erased', 'g'
  );
