-- Closes the books of the transaction's partner up to an instant: no transfer in pounds can be posted before it any more.
-- Guarantees: books never reopen. An instant that isn't later than the last one raises check_violation.
-- Locks: the partner's books, exclusively, until commit. Waits for transactions that are posting in pounds.
-- Owner: kelpie_ledger
-- Callers: kelpie_service
create or replace function kelpie.close_books(upto timestamptz) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
begin
  perform pg_advisory_xact_lock(kelpie.books_key(of_partner));
  insert into kelpie.closed_books as b (partner_id, closed_until) values (of_partner, upto)
  on conflict (partner_id) do update set closed_until = excluded.closed_until where b.closed_until < excluded.closed_until;
  if not found then
    raise exception 'the books are already closed up to this instant' using errcode = 'check_violation';
  end if;
end;
$$;
