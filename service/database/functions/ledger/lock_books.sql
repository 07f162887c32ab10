-- Locks the books of the transaction's partner: no other transaction posts in pounds for it until commit.
-- Locks: the partner's books, exclusively, until commit. Waits for transactions that are posting in pounds.
-- Returns the instant up to which the books are closed, or null when they never were.
-- Owner: kelpie_ledger
-- Callers: kelpie_service
create or replace function kelpie.lock_books() returns timestamptz
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
begin
  if of_partner is null then
    raise exception 'no partner is set for this transaction' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(kelpie.books_key(of_partner));
  -- A separate statement has a new snapshot, so it sees what the transactions that we waited for have written.
  return (select b.closed_until from kelpie.closed_books b where b.partner_id = of_partner);
end;
$$;
