-- A SHA-256 of payouts with their histories, as the archive has them: of the digests of their lines, in the order of the file.
-- The tables are named, because a month that returns is not a part of its table yet.
-- Returns how many payouts there are, and the digest.
-- Callers: kelpie_payouts, kelpie_owner
create or replace function kelpie.archived_rows_digest(
  payouts_table text, history_table text, first_id uuid, before_id uuid, out payouts bigint, out digest text
)
  language plpgsql stable
  set timezone = 'UTC'
  set datestyle = 'ISO'
  set work_mem = '128MB'
as $$
begin
  execute format(
    'select count(*), encode(sha256(convert_to(coalesce(string_agg(l.digest, '''' order by l.day, l.partner_id, l.environment, l.id), ''''), ''UTF8'')), ''hex'')
     from (
       select kelpie.instant_of(p.id)::date as day, p.partner_id, p.environment::text collate "C" as environment, p.id,
         encode(sha256(convert_to(kelpie.archived_line(
           to_jsonb(p), (select jsonb_agg(to_jsonb(h) order by h.number) from kelpie.%I h where h.payout_id = p.id)
         ), ''UTF8'')), ''hex'') as digest
       from kelpie.%I p where p.id >= $1 and p.id < $2
     ) l',
    history_table, payouts_table
  ) into payouts, digest using first_id, before_id;
end;
$$;
