-- Why the payouts of a month may not leave the database; null where they may.
--   missing           there is no such month in the database
--   young             it ended less than 13 months ago, by the database's own clock as well
--   payouts_open      a worker follows one of its payouts, or one is not final
--   changed           one of its payouts changed in the last 5 months: an event about it may still be read
--   open_cases        a case about one of its payouts is open
--   open_days         a day of it is not closed, so nothing proves what it held
--   open_books        a partner that paid in it has not been invoiced for it
--   open_invoices     an invoice of it is not settled
--   without_body      a payout was rebuilt from the bank's record, and its request was not repeated since
-- Cost: it reads the payouts of the month.
-- Owner: kelpie_payouts
-- Callers: kelpie_owner, kelpie_reader
create or replace function kelpie.archive_obstacle(of_month date, at timestamptz) returns text
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  began timestamptz := of_month::timestamp at time zone 'utc';
  ended timestamptz := (of_month + interval '1 month') at time zone 'utc';
  first_id uuid := kelpie.first_id_at(began);
  before_id uuid := kelpie.first_id_at(ended);
  clock timestamptz := least(at, now());
  found record;
begin
  if to_regclass('kelpie.payouts_' || to_char(of_month, 'YYYY_MM')) is null then
    return 'missing';
  elsif ended > clock - interval '13 months' then
    return 'young';
  elsif exists (select from kelpie.payout_leases l where l.payout_id >= first_id and l.payout_id < before_id) then
    return 'payouts_open';
  elsif exists (
    select from kelpie.cases c
    where c.closed_at is null
      and (c.payout_id >= first_id and c.payout_id < before_id or c.related_id >= first_id and c.related_id < before_id)
  ) then
    return 'open_cases';
  elsif (
    select count(*) from kelpie.closed_days d where d.day >= of_month and d.day < (of_month + interval '1 month')::date
  ) < (
    -- The first day that was ever closed is the first with an entry.
    select (of_month + interval '1 month')::date - greatest(of_month, coalesce(min(d.day), of_month)) from kelpie.closed_days d
  ) then
    return 'open_days';
  elsif exists (
    select from kelpie.invoices i where i.begins_at < ended and i.ends_at > began and i.status not in ('paid', 'void')
  ) then
    return 'open_invoices';
  end if;
  select bool_or(p.state in ('sending', 'pending', 'processing')) as is_open,
    bool_or(p.updated_at > clock - interval '5 months') as has_changed,
    bool_or(p.recovered_at is not null and p.idempotency_key is null) as is_without_body,
    array_agg(distinct p.partner_id) filter (where p.environment = 'live') as billed
  into found
  from kelpie.payouts p where p.id >= first_id and p.id < before_id;
  return case
    when found.is_open then 'payouts_open'
    when found.has_changed then 'changed'
    when found.is_without_body then 'without_body'
    when exists (
      select from unnest(found.billed) as billed (id)
      left join kelpie.closed_books b on b.partner_id = billed.id
      where b.closed_until is null or b.closed_until < ended
    ) then 'open_books'
  end;
end;
$$;
