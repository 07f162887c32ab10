-- Top-ups: where a partner sends money to its wallet, what came, and when the wallet runs low.

-- Below this the partner is told, once each time; null where it does not want to be.
alter table kelpie.partners add column wallet_low_micro_usdc bigint;
alter table kelpie.partners
  add constraint partners_wallet_low_check check (wallet_low_micro_usdc >= 0) not valid;
grant update (wallet_low_micro_usdc) on kelpie.partners to kelpie_service;
grant select (id, wallet_low_micro_usdc) on kelpie.partners to kelpie_payouts;

-- Where a partner's top-ups come in at the bank: an account for pounds, an address for USDC. A worker reads what came there
-- when it is due, and the bank's webhooks make it due.
create table kelpie.funding_sources (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  method text not null check (method in ('bank_transfer', 'usdc')),
  -- The bank's own id of it.
  source_id text not null check (char_length(source_id) between 1 and 200),
  chain text,
  address text check (char_length(address) between 1 and 200),
  -- The details of the account, encrypted as all bank details are.
  details_sealed bytea,
  opened_at timestamptz not null,
  -- The newest line of the bank's list of which it is certain that neither it nor an older one says something new.
  read_upto text,
  -- How far back to read all the same, since the bank has news of something older.
  look_back_to timestamptz,
  due_at timestamptz not null,
  -- How often the bank told of news: whoever reads while it does has to read again.
  hints bigint not null default 0,
  -- When there was something new last.
  changed_at timestamptz not null,
  unique (partner_id, environment, method),
  unique (environment, source_id),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((method = 'usdc') = (address is not null) and (method = 'usdc') = (chain is not null)),
  check ((method = 'bank_transfer') = (details_sealed is not null))
);
comment on table kelpie.funding_sources is '@bounded Two rows a partner and environment: where it sends its top-ups.';
create index funding_sources_due on kelpie.funding_sources (due_at);
alter table kelpie.funding_sources enable row level security, force row level security;
create policy service_own on kelpie.funding_sources to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.funding_sources for select to kelpie_reader using (true);
create policy payouts_all on kelpie.funding_sources to kelpie_payouts using (true) with check (true);
grant select, insert, update (read_upto, look_back_to, due_at, changed_at) on kelpie.funding_sources to kelpie_service;
grant select on kelpie.funding_sources to kelpie_reader;
grant select, update (look_back_to, due_at, hints) on kelpie.funding_sources to kelpie_payouts;

-- What came in. One row for each deposit that the bank tells of, whatever becomes of it.
create table kelpie.deposits (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  method text not null check (method in ('bank_transfer', 'usdc')),
  -- The bank's own id of it. Each environment has a bank of its own, with ids of its own.
  bank_deposit_id text not null check (char_length(bank_deposit_id) between 1 and 200),
  state text not null check (state in ('pending', 'credited', 'refunded', 'reversed')),
  -- Counts its changes, which are the rows of its history. A change names the number that it builds on.
  revision integer not null check (revision > 0), -- squawk-ignore prefer-bigint-over-int
  bank_state text not null,
  -- When the bank's list first had it.
  listed_at timestamptz,
  sent_pence bigint check (sent_pence > 0),
  -- What it brings to the wallet, and what the bank kept of it.
  net_micro_usdc bigint check (net_micro_usdc > 0),
  fee_micro_usdc bigint check (fee_micro_usdc >= 0),
  gbp_per_usd_millionths bigint check (gbp_per_usd_millionths > 0),
  -- What the bank took back; what of that the wallet did not hold; and what of this deposit went to what was owed so.
  reversed_micro_usdc bigint check (reversed_micro_usdc > 0),
  owed_micro_usdc bigint not null default 0 check (owed_micro_usdc >= 0),
  repaid_micro_usdc bigint not null default 0 check (repaid_micro_usdc >= 0),
  -- Who sent it, with what words: encrypted.
  sender_sealed bytea,
  -- Why a person has to look at it.
  trouble text check (char_length(trouble) between 1 and 200),
  credited_at timestamptz,
  updated_at timestamptz not null,
  -- A deposit of the bank's is one of ours, for ever: what is credited for it is credited once.
  unique (environment, bank_deposit_id),
  -- For what refers to it.
  unique (id, partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((state in ('credited', 'reversed')) = (credited_at is not null)),
  check (state not in ('credited', 'reversed') or net_micro_usdc is not null),
  check ((state = 'reversed') = (reversed_micro_usdc is not null)),
  check (owed_micro_usdc <= coalesce(reversed_micro_usdc, 0)),
  check (repaid_micro_usdc <= case when credited_at is null then 0 else net_micro_usdc end)
);
comment on table kelpie.deposits is '@grows @kept-whole One row a top-up. The bank''s id of it is unique for ever.';
create index deposits_of_partner on kelpie.deposits (partner_id, environment, id);
create index deposits_pending on kelpie.deposits (partner_id, environment) where state = 'pending';
-- What is owed for deposits that were taken back: as a rule nobody owes anything.
create index deposits_owed on kelpie.deposits (partner_id, environment) where owed_micro_usdc > 0 or repaid_micro_usdc > 0;
alter table kelpie.deposits enable row level security, force row level security;
create policy service_own on kelpie.deposits to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.deposits for select to kelpie_reader using (true);
create policy payouts_see on kelpie.deposits for select to kelpie_payouts using (true);
grant select, insert on kelpie.deposits to kelpie_service;
grant update (
  state, revision, bank_state, sent_pence, net_micro_usdc, fee_micro_usdc, gbp_per_usd_millionths, reversed_micro_usdc,
  owed_micro_usdc, repaid_micro_usdc, sender_sealed, trouble, credited_at, updated_at
) on kelpie.deposits to kelpie_service;
grant select on kelpie.deposits to kelpie_reader;
grant select (environment, bank_deposit_id, listed_at) on kelpie.deposits to kelpie_payouts;

-- The moves that a deposit can make, whatever the code believes. What was credited is never credited again, nor changed: one
-- that the bank took back before we heard that it had come is credited and taken back in the same transaction.
create function kelpie.refuse_illegal_deposit_move() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.state = 'pending' and new.revision = 1 then
      return new;
    end if;
    raise exception 'a deposit does not begin as %', new.state using errcode = 'check_violation';
  end if;
  if new.revision <> old.revision + 1 then
    raise exception 'a change of a deposit without its number' using errcode = 'check_violation';
  end if;
  if old.credited_at is not null and (
    (new.net_micro_usdc, new.credited_at, new.repaid_micro_usdc)
      is distinct from (old.net_micro_usdc, old.credited_at, old.repaid_micro_usdc)
  ) then
    raise exception 'what was credited stays what it was' using errcode = 'check_violation';
  end if;
  if new.state = old.state or (old.state, new.state) in (
    ('pending', 'credited'), ('pending', 'refunded'), ('refunded', 'credited'), ('credited', 'reversed')
  ) then
    return new;
  end if;
  raise exception 'a deposit does not move from % to %', old.state, new.state using errcode = 'check_violation';
end;
$$;
create trigger legal_moves before insert or update on kelpie.deposits
  for each row execute function kelpie.refuse_illegal_deposit_move();

-- Every change of a deposit: what happened, and the transfer in the ledger that went with it.
create table kelpie.deposit_history (
  deposit_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  state text not null,
  what text not null check (what ~ '^[a-z_]{1,40}$'),
  bank_state text not null,
  detail text check (char_length(detail) <= 200),
  transfer_id uuid,
  primary key (deposit_id, number),
  foreign key (deposit_id, partner_id, environment) references kelpie.deposits (id, partner_id, environment)
);
comment on table kelpie.deposit_history is '@grows @kept-whole A few rows a deposit.';
alter table kelpie.deposit_history enable row level security, force row level security;
create policy service_own on kelpie.deposit_history to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.deposit_history for select to kelpie_reader using (true);
grant select, insert on kelpie.deposit_history to kelpie_service;
grant select on kelpie.deposit_history to kelpie_reader;
create trigger insert_only before update or delete on kelpie.deposit_history
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.deposit_history
  for each statement execute function kelpie.refuse_change();

-- Whose wallet is below the partner's own threshold, since when, and when the partner was told of it.
create table kelpie.wallet_alerts (
  partner_id uuid not null,
  environment kelpie.environment not null,
  low_since timestamptz,
  -- When the partner was told last; null again once the wallet held clearly more. And of which threshold: another one is
  -- another reason to tell.
  told_at timestamptz,
  threshold_micro_usdc bigint not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.wallet_alerts is
  '@bounded One row a wallet that was ever below its partner''s threshold.';
alter table kelpie.wallet_alerts enable row level security, force row level security;
create policy service_own on kelpie.wallet_alerts to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.wallet_alerts for select to kelpie_reader using (true);
create policy payouts_see on kelpie.wallet_alerts for select to kelpie_payouts using (true);
grant select, insert, update (low_since, told_at, threshold_micro_usdc) on kelpie.wallet_alerts to kelpie_service;
grant select on kelpie.wallet_alerts to kelpie_reader, kelpie_payouts;

create policy payouts_see on kelpie.wallets for select to kelpie_payouts using (true);
grant select (partner_id, environment, balance_micro_usdc) on kelpie.wallets to kelpie_payouts;

-- A partner in one of its environments, as it is told to the partner itself, with where to send USDC.
drop function kelpie.show_account(uuid, kelpie.environment);
create function kelpie.show_account(of_partner uuid, of_environment kelpie.environment)
  returns table (
    name text, status text, rail kelpie.rail, fixed_pence bigint, basis_points bigint, monthly_pence bigint,
    billing_email text, contact_email text, verification_status text, verification_provider_status text,
    verification_continue_url text, verification_terms_url text, screening text, logo_url text, brand_color text,
    wallet_low_micro_usdc bigint, funding_address text
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.name, p.status, e.rail, pp.fixed_pence, pp.basis_points, pp.monthly_pence, p.billing_email, p.contact_email,
      p.verification_status, p.verification_provider_status, p.verification_continue_url, p.verification_terms_url, p.screening,
      p.logo_url, p.brand_color, p.wallet_low_micro_usdc,
      (
        select f.address from kelpie.funding_sources f
        where f.partner_id = of_partner and f.environment = of_environment and f.method = 'usdc'
      )
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;

-- Where a partner sends its top-ups.
create function kelpie.show_funding(of_partner uuid, of_environment kelpie.environment)
  returns table (id uuid, method text, chain text, address text, details_sealed bytea)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select f.id, f.method, f.chain, f.address, f.details_sealed from kelpie.funding_sources f
    where f.partner_id = of_partner and f.environment = of_environment;
end;
$$;

-- A partner's deposits, newest first, of those that fit: null fits all.
create function kelpie.list_deposits(
  of_partner uuid, of_environment kelpie.environment, from_id uuid, before_id uuid, of_states text[], of_method text,
  at_most integer
) returns table (
  id uuid, method text, state text, sent_pence bigint, net_micro_usdc bigint, fee_micro_usdc bigint,
  gbp_per_usd_millionths bigint, reversed_micro_usdc bigint, sender_sealed bytea, credited_at timestamptz,
  updated_at timestamptz
)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select d.id, d.method, d.state, d.sent_pence, d.net_micro_usdc, d.fee_micro_usdc, d.gbp_per_usd_millionths,
      d.reversed_micro_usdc, d.sender_sealed, d.credited_at, d.updated_at
    from kelpie.deposits d
    where d.partner_id = of_partner and d.environment = of_environment and d.id >= from_id and d.id < before_id
      and (of_states is null or d.state = any (of_states)) and (of_method is null or d.method = of_method)
    order by d.id desc limit at_most;
end;
$$;

grant create on schema kelpie to kelpie_payouts;

-- Partners at a bank that lack an account or an address to send top-ups to, a page at a time.
create function kelpie.list_sides_to_fund(after_partner uuid, at_most integer)
  returns table (
    partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with lacking as (
    select e.* from kelpie.partner_environments e
    where e.rail <> 'simulated' and e.partner_id > after_partner and (
      select count(*) from kelpie.funding_sources f
      where f.partner_id = e.partner_id and f.environment = e.environment
    ) < 2
  )
  select l.partner_id, l.environment, l.rail, l.bank_customer_id, l.bank_wallet_id from lacking l
  -- Both sides of a partner, or none: the page ends between two partners.
  where l.partner_id in (select distinct p.partner_id from lacking p order by 1 limit least(at_most, 500))
  order by l.partner_id, l.environment
$$;
revoke all on function kelpie.list_sides_to_fund(uuid, integer) from public;
grant execute on function kelpie.list_sides_to_fund(uuid, integer) to kelpie_service;
alter function kelpie.list_sides_to_fund(uuid, integer) owner to kelpie_payouts;

-- Sources to read, a page at a time. No more than whose they are: the rest is read as theirs.
create function kelpie.list_due_funding_sources(at timestamptz, after_id uuid, at_most integer)
  returns table (id uuid, partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select f.id, f.partner_id, f.environment from kelpie.funding_sources f
  where f.due_at <= at and f.id > after_id
  order by f.id limit least(at_most, 500)
$$;
revoke all on function kelpie.list_due_funding_sources(timestamptz, uuid, integer) from public;
grant execute on function kelpie.list_due_funding_sources(timestamptz, uuid, integer) to kelpie_service;
alter function kelpie.list_due_funding_sources(timestamptz, uuid, integer) owner to kelpie_payouts;

-- The bank tells of news, and names a source and a deposit: whose they are, nobody knows yet. Says whether the source is one of
-- ours, and so to be read now: that it was due already may only mean that the next round has not come. The line of a deposit
-- that is known may lie behind what is read as a rule: so it is read as far back as that.
create function kelpie.hint_deposit(
  of_environment kelpie.environment, of_source_id text, of_deposit_id text, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.funding_sources f
  set hints = f.hints + 1, due_at = least(f.due_at, at), look_back_to = least(f.look_back_to, (
    select d.listed_at from kelpie.deposits d
    where d.environment = of_environment and d.bank_deposit_id = of_deposit_id
  ))
  where f.environment = of_environment and f.source_id = of_source_id;
  return found;
end;
$$;
revoke all on function kelpie.hint_deposit(kelpie.environment, text, text, timestamptz) from public;
grant execute on function kelpie.hint_deposit(kelpie.environment, text, text, timestamptz) to kelpie_service;
alter function kelpie.hint_deposit(kelpie.environment, text, text, timestamptz) owner to kelpie_payouts;

-- Every source is read once more from then on: what the bank took back, and the webhook of that was lost. Says how many.
create function kelpie.look_back_for_deposits(back_to timestamptz, at timestamptz) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  made_due integer;
begin
  update kelpie.funding_sources f
  set hints = f.hints + 1, due_at = least(f.due_at, at), look_back_to = least(f.look_back_to, back_to)
  where f.changed_at >= back_to;
  get diagnostics made_due = row_count;
  return made_due;
end;
$$;
revoke all on function kelpie.look_back_for_deposits(timestamptz, timestamptz) from public;
grant execute on function kelpie.look_back_for_deposits(timestamptz, timestamptz) to kelpie_service;
alter function kelpie.look_back_for_deposits(timestamptz, timestamptz) owner to kelpie_payouts;

-- Wallets that are low and their partner may not know, and those of which it was told that are not low any more; a page at a
-- time.
create function kelpie.list_wallets_to_watch(after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with watched as (
    select w.partner_id, w.environment
    from kelpie.partners p
    join kelpie.wallets w on w.partner_id = p.id
    left join kelpie.wallet_alerts a on a.partner_id = w.partner_id and a.environment = w.environment
    where p.wallet_low_micro_usdc is not null and p.id > after_partner and case
      when w.balance_micro_usdc < p.wallet_low_micro_usdc
        then a.low_since is null or a.told_at is null or a.low_since > a.told_at
          or a.threshold_micro_usdc <> p.wallet_low_micro_usdc
      else a.low_since is not null or a.told_at is not null
    end
  )
  select c.partner_id, c.environment from watched c
  where c.partner_id in (select distinct o.partner_id from watched o order by 1 limit least(at_most, 500))
  order by c.partner_id, c.environment
$$;
revoke all on function kelpie.list_wallets_to_watch(uuid, integer) from public;
grant execute on function kelpie.list_wallets_to_watch(uuid, integer) to kelpie_service;
alter function kelpie.list_wallets_to_watch(uuid, integer) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;

-- What operators do: each act is a row, written in the act's own transaction, and each row carries a digest of itself and of
-- the row before it under a key that the database does not have. So a row that was changed, removed or moved shows, to
-- whoever has the key (`kelpie audit verify`), also where it was done by the owner of the tables.
create table kelpie.audit_log (
  seq bigint primary key check (seq > 0),
  -- Whatever stands here can be read, also where somebody without the key wrote it.
  at timestamptz not null check (at >= '2000-01-01 00:00:00+00' and at < '3000-01-01 00:00:00+00'),
  operator text not null check (operator ~ '^[A-Za-z0-9@._+-]{1,80}$'),
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  -- The id of what it was done to.
  subject text not null check (char_length(subject) between 1 and 200),
  -- What was asked for, and why: JSON as it was written, since the digest is over its bytes.
  detail text not null check (char_length(detail) between 2 and 4000 and jsonb_typeof(detail::jsonb) = 'object'),
  previous_mac bytea not null check (octet_length(previous_mac) = 32),
  mac bytea not null check (octet_length(mac) = 32),
  -- The transaction that wrote it: what an act asks for before it does anything.
  tx xid8 not null default pg_current_xact_id()
);
comment on table kelpie.audit_log is '@grows @kept-whole @shared One row for each act of an operator. Its numbers have no gaps, so it is one table.';
grant select on kelpie.audit_log to kelpie_reader;
grant select, insert on kelpie.audit_log to kelpie_access;
grant select (seq, operator, action, subject, tx) on kelpie.audit_log to kelpie_payouts;
create trigger insert_only before update or delete on kelpie.audit_log
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.audit_log
  for each statement execute function kelpie.refuse_change();

-- How long the log is, under the same key: rows that are cut off its end show by this. Whoever writes a row locks it first.
create table kelpie.audit_head (
  only_row boolean primary key default true check (only_row),
  seq bigint not null check (seq >= 0),
  -- That of the last row; zeros before the first.
  mac bytea not null check (octet_length(mac) = 32),
  -- Of both; null before the first, which is the beginning that an operator writes (`kelpie audit begin`).
  head_mac bytea check (octet_length(head_mac) = 32)
);
comment on table kelpie.audit_head is '@bounded @shared One row: where the log of the operators ends.';
insert into kelpie.audit_head (seq, mac) values (0, decode(repeat('00', 32), 'hex'));
grant select on kelpie.audit_head to kelpie_reader;
grant select, update (seq, mac, head_mac) on kelpie.audit_head to kelpie_access;
grant select (seq) on kelpie.audit_head to kelpie_payouts;

grant usage on schema kelpie to kelpie_operator;
create policy operator_see on kelpie.partners for select to kelpie_operator using (true);
grant select (id, slug, name, status, verification_status, rate_factor) on kelpie.partners to kelpie_operator;

-- The lock by which an operator vouches for an act: whoever sees its name can't tell the voucher from it.
create function kelpie.lock_of_voucher(voucher bytea) returns bigint
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select ('x' || encode(substr(sha256(voucher), 1, 8), 'hex'))::bit(64)::bigint
$$;

-- Until the end of this transaction.
create function kelpie.vouch_for_act(voucher bytea) returns void
  language sql volatile
  set search_path = pg_catalog, pg_temp
as $$
  select pg_advisory_xact_lock(kelpie.lock_of_voucher(voucher))
$$;

-- Operators alone add to the log. An act that writes what is the service's runs as that role, in one transaction with its row
-- in the log; so an operator's own connection has to vouch for it meanwhile, by a secret that both bring.
create function kelpie.require_operator(voucher bytea) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  if session_user <> 'kelpie_operator' and not exists (
    select from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and a.datname = current_database() and a.usename = 'kelpie_operator'
      and (l.classid::bigint << 32 | l.objid::bigint) = kelpie.lock_of_voucher(voucher)
  ) then
    raise exception 'no operator vouches for this act' using errcode = 'insufficient_privilege';
  end if;
end;
$$;

grant create on schema kelpie to kelpie_access;

-- Whoever is about to act has the end of the log to itself until the commit.
create function kelpie.lock_audit_head(voucher bytea) returns table (seq bigint, mac bytea, head_mac bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_operator(voucher);
  return query select h.seq, h.mac, h.head_mac from kelpie.audit_head h for no key update;
end;
$$;
revoke all on function kelpie.lock_audit_head(bytea) from public;
grant execute on function kelpie.lock_audit_head(bytea) to kelpie_operator, kelpie_service;
alter function kelpie.lock_audit_head(bytea) owner to kelpie_access;

create function kelpie.append_audit(
  new_seq bigint, new_at timestamptz, new_operator text, new_action text, new_subject text, new_detail text,
  new_previous_mac bytea, new_mac bytea, new_head_mac bytea, voucher bytea
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  head record;
begin
  perform kelpie.require_operator(voucher);
  select h.seq, h.mac into strict head from kelpie.audit_head h for no key update;
  if (head.seq + 1, head.mac) is distinct from (new_seq, new_previous_mac) then
    raise exception 'a row that does not follow from the last one' using errcode = 'check_violation';
  end if;
  insert into kelpie.audit_log (seq, at, operator, action, subject, detail, previous_mac, mac)
  values (new_seq, new_at, new_operator, new_action, new_subject, new_detail, new_previous_mac, new_mac);
  update kelpie.audit_head h set seq = new_seq, mac = new_mac, head_mac = new_head_mac;
end;
$$;
revoke all on function kelpie.append_audit(bigint, timestamptz, text, text, text, text, bytea, bytea, bytea, bytea) from public;
grant execute on function kelpie.append_audit(bigint, timestamptz, text, text, text, text, bytea, bytea, bytea, bytea)
  to kelpie_operator, kelpie_service;
alter function kelpie.append_audit(bigint, timestamptz, text, text, text, text, bytea, bytea, bytea, bytea) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;

-- An act is refused where this very transaction has not noted it. Says whose it is.
create function kelpie.require_audit(of_action text, of_subject text) returns text
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  by_whom text;
begin
  select a.operator into by_whom from kelpie.audit_log a
  where a.seq = (select h.seq from kelpie.audit_head h)
    and a.tx = pg_current_xact_id() and a.action = of_action and a.subject = of_subject;
  if not found then
    raise exception 'an act of an operator that is not in the log' using errcode = 'insufficient_privilege';
  end if;
  return by_whom;
end;
$$;

grant select (rate_factor) on kelpie.partners to kelpie_payouts;
grant update (rate_factor) on kelpie.partners to kelpie_payouts;
grant create on schema kelpie to kelpie_payouts;

-- Says false, and changes nothing, where the partner is in another state by now.
create function kelpie.operator_set_status(of_partner uuid, of_action text, from_status text, to_status text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit(of_action, of_partner::text);
  if (of_action, from_status, to_status) not in (
    ('partner.suspend', 'active', 'suspended'), ('partner.suspend', 'onboarding', 'suspended'),
    ('partner.activate', 'suspended', 'active'), ('partner.activate', 'suspended', 'onboarding')
  ) then
    raise exception 'a partner does not go from % to %', from_status, to_status using errcode = 'check_violation';
  end if;
  update kelpie.partners p set status = to_status where p.id = of_partner and p.status = from_status;
  return found;
end;
$$;
revoke all on function kelpie.operator_set_status(uuid, text, text, text) from public;
grant execute on function kelpie.operator_set_status(uuid, text, text, text) to kelpie_operator;
alter function kelpie.operator_set_status(uuid, text, text, text) owner to kelpie_payouts;

-- By how much the limits of a partner's keys are raised. Says false where there is no such partner.
create function kelpie.operator_set_rate_factor(of_partner uuid, to_factor integer) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('partner.limit', of_partner::text);
  update kelpie.partners p set rate_factor = to_factor where p.id = of_partner;
  return found;
end;
$$;
revoke all on function kelpie.operator_set_rate_factor(uuid, integer) from public;
grant execute on function kelpie.operator_set_rate_factor(uuid, integer) to kelpie_operator;
alter function kelpie.operator_set_rate_factor(uuid, integer) owner to kelpie_payouts;

-- Gives a side of a partner another price plan from now on: what the service could do so far, and an operator alone can now.
-- Says false where it has that plan already.
set local role kelpie_payouts;
revoke execute on function kelpie.change_price_plan(timestamptz, text, text) from kelpie_service;
reset role;
create function kelpie.operator_set_price_plan(
  of_partner uuid, of_environment kelpie.environment, at timestamptz, new_plan text
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  by_whom text := kelpie.require_audit('partner.price_plan', of_partner::text);
begin
  perform kelpie.enter(of_partner, of_environment);
  return kelpie.change_price_plan(at, new_plan, by_whom);
end;
$$;
revoke all on function kelpie.operator_set_price_plan(uuid, kelpie.environment, timestamptz, text) from public;
grant execute on function kelpie.operator_set_price_plan(uuid, kelpie.environment, timestamptz, text) to kelpie_operator;
alter function kelpie.operator_set_price_plan(uuid, kelpie.environment, timestamptz, text) owner to kelpie_payouts;

-- Says false, and makes none, where there is a plan with that id: plans never change.
grant select, insert on kelpie.price_plans to kelpie_payouts;
create function kelpie.operator_create_price_plan(
  new_id text, fixed bigint, points bigint, bank_fixed bigint, bank_points bigint, monthly bigint, verification bigint,
  network_markup bigint, exception_markup bigint, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('plan.create', new_id);
  insert into kelpie.price_plans (
    id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, monthly_pence, verification_pence,
    network_markup_basis_points, exception_markup_basis_points, created_at
  ) values (
    new_id, fixed, points, bank_fixed, bank_points, monthly, verification, network_markup, exception_markup, at
  ) on conflict do nothing;
  return found;
end;
$$;
revoke all on function kelpie.operator_create_price_plan(
  text, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, timestamptz
) from public;
grant execute on function kelpie.operator_create_price_plan(
  text, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, timestamptz
) to kelpie_operator;
alter function kelpie.operator_create_price_plan(
  text, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, timestamptz
) owner to kelpie_payouts;

-- Whoever looks after open payouts looks at this one next: the bank is asked what became of it. Says false where there is no
-- such payout, or it was never at a bank.
create function kelpie.operator_ask_payout(of_payout uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('payout.ask', of_payout::text);
  insert into kelpie.open_payouts as o (payout_id, partner_id, environment, due_at, leased_until)
  select p.id, p.partner_id, p.environment, at, '-infinity'
  from kelpie.payouts p where p.id = of_payout and p.state <> 'not_created'
  on conflict (payout_id) do update set due_at = least(o.due_at, at);
  return found;
end;
$$;
revoke all on function kelpie.operator_ask_payout(uuid, timestamptz) from public;
grant execute on function kelpie.operator_ask_payout(uuid, timestamptz) to kelpie_operator;
alter function kelpie.operator_ask_payout(uuid, timestamptz) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;
