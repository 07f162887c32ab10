-- A SHA-256 of entries as the archive has them: of the digests of each partner's day, which are of the digests of its lines, all in
-- the order of the file. So no text grows with the month.
-- `listed` is what the query reads from, as digest_moving_entries writes it: a table, or what leaves of the ledger.
-- Returns how many entries there are, and the digest.
-- Callers: kelpie_ledger
create or replace function kelpie.entries_digest(listed text, out entries bigint, out digest text)
  language plpgsql stable
  set timezone = 'UTC'
  set datestyle = 'ISO'
  set work_mem = '128MB'
  set jit = off
as $$
begin
  execute format(
    'select coalesce(sum(d.entries), 0),
       encode(sha256(convert_to(coalesce(string_agg(d.digest, '''' order by d.day, d.partner_id, d.environment), ''''), ''UTF8'')), ''hex'')
     from (
       select kelpie.instant_of(e.transfer_id)::date as day, e.partner_id, e.environment::text collate "C" as environment,
         count(*) as entries,
         encode(sha256(convert_to(string_agg(
           encode(sha256(convert_to(to_jsonb(e)::text, ''UTF8'')), ''hex''), ''''
           order by coalesce(e.wallet_version, 0), e.transfer_id, e.line
         ), ''UTF8'')), ''hex'') as digest
       from %s e
       group by 1, 2, 3
     ) d', listed
  ) into entries, digest;
end;
$$;
