-- A SHA-256 of payouts with their histories, as the archive has them: of the digests of each partner's day, which are of the digests
-- of its lines, all in the order of the file. So no text grows with the month. The tables are named, because a month that returns is
-- not a part of its table yet.
-- Returns how many payouts there are, and the digest.
-- Callers: kelpie_payouts, kelpie_owner
create or replace function kelpie.archived_rows_digest(
  payouts_table text, history_table text, first_id uuid, before_id uuid, out payouts bigint, out digest text
)
  language plpgsql stable
  set timezone = 'UTC'
  set datestyle = 'ISO'
  set work_mem = '128MB'
  set jit = off
as $$
begin
  execute format(
    'select coalesce(sum(d.payouts), 0),
       encode(sha256(convert_to(coalesce(string_agg(d.digest, '''' order by d.day, d.partner_id, d.environment), ''''), ''UTF8'')), ''hex'')
     from (
       select l.day, l.partner_id, l.environment, count(*) as payouts,
         encode(sha256(convert_to(string_agg(l.digest, '''' order by l.id), ''UTF8'')), ''hex'') as digest
       from (
         select kelpie.instant_of(p.id)::date as day, p.partner_id, p.environment::text collate "C" as environment, p.id,
           encode(sha256(convert_to(kelpie.archived_line(
             to_jsonb(p), (select jsonb_agg(to_jsonb(h) order by h.number) from kelpie.%I h where h.payout_id = p.id)
           ), ''UTF8'')), ''hex'') as digest
         from kelpie.%I p where p.id >= $1 and p.id < $2
       ) l
       group by 1, 2, 3
     ) d',
    history_table, payouts_table
  ) into payouts, digest using first_id, before_id;
end;
$$;
