-- What the API tells a partner of itself: account, compliance, keys, usage, recipients, what was asked. And lists that can
-- be filtered and turned over. Every function here is the whole of its transaction.

-- What a partner's page and papers show, and where its verification stands.
alter table kelpie.partners
  add column logo_url text,
  add column brand_color text,
  add column billing_email text,
  add column contact_email text,
  add column verification_status text not null default 'not_started',
  -- The bank's own word, and where a person goes on with it.
  add column verification_provider_status text,
  add column verification_continue_url text,
  add column verification_terms_url text,
  add column screening text not null default 'not_screened';
alter table kelpie.partners
  add constraint partners_logo_url_check check (logo_url ~ '^https://[^[:space:]]+$' and char_length(logo_url) <= 500) not valid,
  add constraint partners_brand_color_check check (brand_color ~ '^#[0-9a-f]{6}$') not valid,
  add constraint partners_emails_check check (
    billing_email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and contact_email ~ '^[^[:space:]@]+@[^[:space:]@]+$'
  ) not valid,
  add constraint partners_verification_urls_check check (
    verification_continue_url ~ '^https?://[^[:space:]]+$' and verification_terms_url ~ '^https?://[^[:space:]]+$'
  ) not valid,
  add constraint partners_verification_status_check check (
    verification_status in ('not_started', 'action_required', 'in_review', 'approved', 'rejected')
  ) not valid,
  add constraint partners_screening_check check (screening in ('not_screened', 'clear', 'review', 'blocked')) not valid;

-- The service may change what a partner says of itself, and nothing that others decide about it.
revoke update on kelpie.partners from kelpie_service;
grant update (logo_url, brand_color, billing_email, contact_email) on kelpie.partners to kelpie_service;

alter table kelpie.price_plans add column monthly_pence bigint not null default 1500;
alter table kelpie.price_plans
  add constraint price_plans_monthly_pence_check check (monthly_pence >= 0) not valid;

-- A partner in one of its environments, as it is told to the partner itself.
create function kelpie.show_account(of_partner uuid, of_environment kelpie.environment)
  returns table (
    name text, status text, rail kelpie.rail, fixed_pence bigint, basis_points bigint, monthly_pence bigint,
    billing_email text, contact_email text, verification_status text, verification_provider_status text,
    verification_continue_url text, verification_terms_url text, screening text
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.name, p.status, e.rail, pp.fixed_pence, pp.basis_points, pp.monthly_pence, p.billing_email, p.contact_email,
      p.verification_status, p.verification_provider_status, p.verification_continue_url, p.verification_terms_url, p.screening
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;

-- What the wallet holds; none where there is no wallet.
create function kelpie.find_wallet_balance(of_partner uuid, of_environment kelpie.environment)
  returns table (balance_micro_usdc bigint)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select w.balance_micro_usdc from kelpie.wallets w
    where w.partner_id = of_partner and w.environment = of_environment;
end;
$$;

-- When a key was last used, to the minute: a write at each request would cost more than what is asked.
alter table kelpie.api_keys add column last_used_at timestamptz;
grant select (last_used_at) on kelpie.api_keys to kelpie_reader;
grant update (last_used_at) on kelpie.api_keys to kelpie_access;
create policy access_touch on kelpie.api_keys for update to kelpie_access using (true) with check (true);
create index api_keys_of_partner on kelpie.api_keys (partner_id); -- squawk-ignore require-concurrent-index-creation

-- A partner's keys of both environments: those that work, and those that were revoked not long ago.
create function kelpie.list_api_keys(of_partner uuid, of_environment kelpie.environment, revoked_after timestamptz, at_most integer)
  returns table (
    id uuid, environment kelpie.environment, key_prefix text, label text, created_at timestamptz, last_used_at timestamptz,
    revoked_at timestamptz
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select k.id, k.environment, k.key_prefix, k.label, k.created_at, k.last_used_at, k.revoked_at
    from kelpie.api_keys k
    where k.partner_id = of_partner and (k.revoked_at is null or k.revoked_at > revoked_after)
    order by k.id desc limit at_most;
end;
$$;

-- What was asked and moved no money: reads, and what was refused. Those of a partner that were answered within a moment are
-- one row: a row for each would cost as much as many a read does.
create table kelpie.activity_pages (
  -- That of the newest request in it.
  id uuid primary key,
  partner_id uuid not null,
  size integer not null check (size between 1 and 200), -- squawk-ignore prefer-bigint-over-int
  -- Of each request: id, environment, action, status, by, detail.
  entries jsonb not null
) partition by range (id);
comment on table kelpie.activity_pages is '@grows @by-function @both-environments A row for what a partner asked within a moment.';
create index activity_pages_of_partner on kelpie.activity_pages (partner_id, id);
alter table kelpie.activity_pages enable row level security, force row level security;
create policy service_own on kelpie.activity_pages for select to kelpie_service using (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.activity_pages for select to kelpie_reader using (true);
create policy access_add on kelpie.activity_pages for insert to kelpie_access with check (true);
grant select on kelpie.activity_pages to kelpie_service, kelpie_reader;
grant insert on kelpie.activity_pages to kelpie_access;
create trigger insert_only before update or delete on kelpie.activity_pages
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.activity_pages
  for each statement execute function kelpie.refuse_change();

-- The newest requests of a partner, of both environments: what moved money, and the rest from as many pages as it takes. A
-- page that was written twice, with newer ones in it the second time, is told once.
create function kelpie.list_activity(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns table (id uuid, environment kelpie.environment, action text, status integer, by text, detail text)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select distinct on (entry.id) entry.id, entry.environment, entry.action, entry.status, entry.by, entry.detail
    from (
      (
        select a.id, a.environment, a.action, a.status, a.by, a.detail
        from kelpie.activity a
        where a.partner_id = of_partner
        order by a.id desc limit at_most
      )
      union all
      select (e.value->>0)::uuid, (e.value->>1)::kelpie.environment, e.value->>2, (e.value->>3)::integer, e.value->>4,
        e.value->>5
      from (
        select p.entries, p.size, sum(p.size) over (order by p.id desc) as so_far
        from (
          select page.id, page.size, page.entries from kelpie.activity_pages page
          where page.partner_id = of_partner
          order by page.id desc limit at_most
        ) p
      ) p
      cross join lateral jsonb_array_elements(p.entries) e
      where p.so_far - p.size < at_most
    ) entry
    order by entry.id desc limit at_most;
end;
$$;

create policy access_see on kelpie.partners for select to kelpie_access using (true);
grant select (id, slug, name, status, logo_url, brand_color) on kelpie.partners to kelpie_access;

grant create on schema kelpie to kelpie_access;

-- Whose key has this digest. It is asked before anybody knows whose rows to look at, so it looks past row security, and
-- answers with one key or none. A key that is used is marked so, once a minute. (The function of the same name with one
-- argument is what processes of the version before ask for, while they are being replaced.)
--
-- The mark is worth no wait: not for the standby, which would keep everybody out while it is down, nor for another process
-- that is just making it.
create function kelpie.find_api_key(of_secret_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, environment kelpie.environment, key_prefix text, secret_hmac bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_key record;
begin
  select * into found_key from kelpie.api_keys k where k.secret_hmac = of_secret_hmac and k.revoked_at is null;
  if not found then
    return;
  end if;
  if found_key.last_used_at is null or found_key.last_used_at < at - interval '1 minute' then
    perform set_config('synchronous_commit', 'off', true);
    update kelpie.api_keys k set last_used_at = at
    where k.id = (select free.id from kelpie.api_keys free where free.id = found_key.id for no key update skip locked)
      and (k.last_used_at is null or k.last_used_at < at - interval '1 minute');
  end if;
  return query
    select found_key.id, found_key.partner_id, found_key.environment, found_key.key_prefix, found_key.secret_hmac;
end;
$$;
revoke all on function kelpie.find_api_key(bytea, timestamptz) from public;
grant execute on function kelpie.find_api_key(bytea, timestamptz) to kelpie_service;
alter function kelpie.find_api_key(bytea, timestamptz) owner to kelpie_access;

-- What anybody may know of a partner.
create function kelpie.find_public_partner(of_slug text)
  returns table (slug text, name text, logo_url text, brand_color text)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select p.slug, p.name, p.logo_url, p.brand_color from kelpie.partners p where p.slug = of_slug and p.status <> 'closed';
end;
$$;
revoke all on function kelpie.find_public_partner(text) from public;
grant execute on function kelpie.find_public_partner(text) to kelpie_service;
alter function kelpie.find_public_partner(text) owner to kelpie_access;

-- What was asked by many partners' keys, in one commit. What is there already is left alone: a batch may come twice. Nothing
-- of it moved money, so nothing here is worth a wait for the standby.
create function kelpie.record_activity(ids uuid[], partner_ids uuid[], sizes integer[], pages jsonb[]) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into kelpie.activity_pages (id, partner_id, size, entries)
  select item.id, item.partner_id, item.size, item.entries
  from unnest(ids, partner_ids, sizes, pages) as item (id, partner_id, size, entries)
  on conflict do nothing;
end;
$$;
revoke all on function kelpie.record_activity(uuid[], uuid[], integer[], jsonb[]) from public;
grant execute on function kelpie.record_activity(uuid[], uuid[], integer[], jsonb[]) to kelpie_service;
alter function kelpie.record_activity(uuid[], uuid[], integer[], jsonb[]) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;

-- The newest payouts that a partner may see, from the one after `before_id` on. (The one with three arguments is for the
-- version before.)
create function kelpie.show_payouts(of_partner uuid, of_environment kelpie.environment, before_id uuid, at_most integer)
  returns setof kelpie.shown_payout
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_sends_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via
    from kelpie.payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id < before_id
      and p.state not in ('sending', 'not_created')
    order by p.id desc limit at_most;
end;
$$;

-- The same, of those alone that fit: null fits all. It looks at so many payouts at most. Where there are more to look at,
-- the last row has the id of the last one that it looked at, and nothing else.
create function kelpie.search_payouts(
  of_partner uuid,
  of_environment kelpie.environment,
  from_id uuid,
  before_id uuid,
  of_states kelpie.payout_state[],
  of_reference text,
  of_order_id uuid,
  of_account_last4 text,
  of_created_via text,
  at_most integer,
  look_at integer
) returns setof kelpie.shown_payout
  language plpgsql volatile
as $$
declare
  upto_id uuid := before_id;
  found_rows integer;
  last_looked_at uuid;
begin
  perform kelpie.enter(of_partner, of_environment);
  if of_order_id is not null then
    -- A key stands for one payout: there is no need to look for it.
    select k.payout_id into upto_id from kelpie.idempotency_keys k where k.order_id = of_order_id;
    if not found then
      return;
    end if;
    from_id := greatest(from_id, upto_id);
  end if;
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_sends_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via
    from (
      select * from kelpie.payouts each
      where each.partner_id = of_partner and each.environment = of_environment
        and each.id >= from_id and each.id < before_id and each.id <= upto_id
      order by each.id desc limit look_at
    ) p
    where p.state not in ('sending', 'not_created')
      and (of_states is null or p.state = any (of_states))
      and (of_reference is null or p.reference = of_reference)
      and (of_account_last4 is null or p.account_last4 = of_account_last4)
      and (of_created_via is null or p.created_via = of_created_via)
    order by p.id desc limit at_most;
  get diagnostics found_rows = row_count;
  if found_rows < at_most and of_order_id is null then
    select p.id into last_looked_at from kelpie.payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id >= from_id and p.id < before_id
    order by p.id desc offset look_at - 1 limit 1;
    if found then
      return next (
        last_looked_at, null, null, null, null, null, null, null, null, null, null, null, null
      )::kelpie.shown_payout;
    end if;
  end if;
end;
$$;

-- Whom a partner has paid or tried to, newest first: by account, type and name. It looks at so many payouts at most.
create function kelpie.list_recipients(
  of_partner uuid, of_environment kelpie.environment, from_id uuid, at_most integer, look_at integer
) returns table (recipient_name text, account_last4 text, payouts bigint, paid_pence numeric, last_paid_at timestamptz)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select (array_agg(p.recipient_name order by p.id desc))[1], (array_agg(p.account_last4))[1],
      count(*) filter (where p.state = 'completed'),
      coalesce(sum(p.amount_pence) filter (where p.state = 'completed'), 0),
      coalesce(max(p.completed_at) filter (where p.state = 'completed'), max(kelpie.instant_of(p.id)))
    from (
      select * from kelpie.payouts each
      where each.partner_id = of_partner and each.environment = of_environment and each.id >= from_id
        and each.state not in ('sending', 'not_created')
      order by each.id desc limit look_at
    ) p
    group by p.account_index
    order by 5 desc, (array_agg(p.id order by p.id desc))[1] desc limit at_most;
end;
$$;

-- The instant inside a UUIDv7.
create function kelpie.instant_of(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x' || lpad(replace(left(id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0);

-- A partner's calendar month in London so far: what was made in it, and what arrived in it. A payout that arrives is at most so old.
create function kelpie.read_usage(of_partner uuid, of_environment kelpie.environment, at timestamptz, oldest interval)
  returns table (period_start date, created bigint, completed bigint, paid_pence numeric, fee_pence numeric)
  language plpgsql volatile
as $$
declare
  began_on date := date_trunc('month', at at time zone 'Europe/London');
  began_at timestamptz := began_on::timestamp at time zone 'Europe/London';
  -- Reckoned here: within the query they would be reckoned for each row.
  first_of_month uuid := kelpie.first_id_at(began_at);
  first_looked_at uuid := kelpie.first_id_at(began_at - oldest);
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select began_on,
      count(*) filter (where p.id >= first_of_month),
      count(*) filter (where p.state = 'completed' and p.completed_at >= began_at),
      coalesce(sum(p.amount_pence) filter (where p.state = 'completed' and p.completed_at >= began_at), 0),
      coalesce(sum(p.fee_pence) filter (where p.state = 'completed' and p.completed_at >= began_at), 0)
    from kelpie.payouts p
    where p.partner_id = of_partner and p.environment = of_environment
      and p.id >= first_looked_at and p.state not in ('sending', 'not_created');
end;
$$;

-- A statement is planned once, for whichever partner asks. Where few partners are known, the planner takes each for a large
-- one, and reads the newest rows of all of them to find one partner's: so it is told that there are many.
-- (What else this function does is written where it was made.)
create or replace function kelpie.make_month_partition(parent_name text, month_start timestamptz) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '300ms'
as $$
declare
  missing record;
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  select m.parent_name, m.month_start, m.partition_name into missing
  from kelpie.missing_month_partitions(make_month_partition.month_start, 0) m
  where m.parent_name = make_month_partition.parent_name;
  if missing is null then
    return false;
  end if;
  execute format('create table kelpie.%I (like kelpie.%I including all)', missing.partition_name, missing.parent_name);
  execute format('alter table kelpie.%I enable row level security, force row level security', missing.partition_name);
  if exists (
    select from pg_attribute a
    where a.attrelid = format('kelpie.%I', missing.parent_name)::regclass and a.attname = 'partner_id' and not a.attisdropped
  ) then
    execute format('alter table kelpie.%I alter column partner_id set (n_distinct = 1000)', missing.partition_name);
  end if;
  if obj_description(format('kelpie.%I', missing.parent_name)::regclass, 'pg_class') ~ '@changes\M' then
    execute format('alter table kelpie.%I set (fillfactor = 85)', missing.partition_name);
  end if;
  execute format(
    'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
    missing.parent_name,
    missing.partition_name,
    kelpie.first_id_at(missing.month_start),
    kelpie.first_id_at((missing.month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
  );
  -- Triggers on rows come with the attachment; those on whole statements do not.
  if exists (
    select from pg_trigger t
    where t.tgrelid = format('kelpie.%I', missing.parent_name)::regclass and t.tgname = 'never_emptied'
  ) then
    execute format(
      'create trigger never_emptied before truncate on kelpie.%I for each statement execute function kelpie.refuse_change()',
      missing.partition_name
    );
  end if;
  return true;
end;
$$;

do $$
declare
  month regclass;
begin
  for month in
    select i.inhrelid::regclass from pg_inherits i
    join pg_attribute a on a.attrelid = i.inhrelid and a.attname = 'partner_id' and not a.attisdropped
    join pg_class c on c.oid = i.inhparent and c.relkind = 'p'
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'kelpie'
  loop
    execute format('alter table %s alter column partner_id set (n_distinct = 1000)', month);
  end loop;
end;
$$;
