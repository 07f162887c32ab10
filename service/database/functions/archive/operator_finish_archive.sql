-- Says that the files of a month are whole. From then on they answer for it where the database has no row. Requires an entry of
-- `month.written` about it in the audit log in the same transaction.
-- Guarantees: the rows that the files hold, by the digest that was made of them as they were read back, are those that the
--   database has (digest_moving_month, digest_moving_entries). They have not changed since, and don't: kelpie.is_in_archive.
-- Returns false where they differ, or nothing was begun under that name.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_finish_archive(
  of_month date, of_name text, of_payouts bigint, of_rows_digest text, of_manifest_digest text, of_mac text, of_bytes bigint,
  of_entries bigint, of_entries_digest text
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('month.written', to_char(of_month, 'YYYY-MM'));
  update kelpie.archived_months m
  set state = 'archived', rows_digest = of_rows_digest, manifest_digest = of_manifest_digest, mac = of_mac,
    payouts = of_payouts, bytes = of_bytes, archived_at = clock_timestamp(), held_digest = null, held_entries = null,
    entries = of_entries, entries_digest = of_entries_digest
  where m.month = of_month and m.name = of_name and m.state = 'writing'
    and m.held_digest = of_payouts || ' ' || of_rows_digest and m.held_entries = of_entries || ' ' || of_entries_digest
    and m.kept_digest is not null;
  return found;
end;
$$;
