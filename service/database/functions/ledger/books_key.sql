-- Returns the key of the advisory lock on a partner's books. Posting in pounds holds it shared, and closing a month holds
-- it exclusively. So every charge is posted either before the invoice adds up the month, or after the month is closed.
-- Callers: everyone
create or replace function kelpie.books_key(of_partner uuid) returns bigint
  language sql immutable strict parallel safe
  return hashtextextended('kelpie.books ' || of_partner::text, 0);
