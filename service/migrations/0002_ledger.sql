-- The ledger: double entry, integers only, insert-only. docs/ledger.md lists the accounts and the entries of each event.

create type kelpie.ledger_account as enum (
  -- USDC, in micro-units: what we have, what we owe the partner, what is the house's.
  'bank_wallet', 'in_transit', 'partner_receivable',
  'wallet', 'held',
  'fx', 'suspense', 'exception_loss',
  -- GBP, in pence.
  'receivable', 'revenue', 'credit_due'
);

create function kelpie.currency_of(account kelpie.ledger_account) returns text
  language sql immutable strict parallel safe
  return case when account in ('receivable', 'revenue', 'credit_due') then 'GBP' else 'USDC' end;

-- The one account with a live balance: every other is the sum of its entries, or each payout would queue at one row.
-- Few rows to a page, so that an update finds room beside the old version and touches no index.
create table kelpie.wallets (
  partner_id uuid not null,
  environment kelpie.environment not null,
  balance_micro_usdc bigint not null default 0 check (balance_micro_usdc >= 0),
  -- How many entries the wallet has had. The newest of them carries this number and this balance.
  version bigint not null default 0,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
) with (fillfactor = 10);
comment on table kelpie.wallets is '@bounded One row a partner and environment: the money that it can pay with.';
alter table kelpie.wallets enable row level security, force row level security;
create policy service_own on kelpie.wallets for select to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy service_open on kelpie.wallets for insert to kelpie_service
  with check (
    partner_id = kelpie.current_partner() and environment = kelpie.current_environment()
    and balance_micro_usdc = 0 and version = 0
  );
create policy reader_all on kelpie.wallets for select to kelpie_reader using (true);
create policy ledger_all on kelpie.wallets to kelpie_ledger using (true) with check (true);
grant select, insert on kelpie.wallets to kelpie_service;
grant select on kelpie.wallets to kelpie_reader;
grant select, update on kelpie.wallets to kelpie_ledger;

-- A transfer is the entries that share a transfer_id; it sums to zero in each currency. A debit is positive.
create table kelpie.ledger_entries (
  transfer_id uuid not null,
  -- squawk-ignore prefer-bigint-over-smallint
  line smallint not null check (line between 1 and 16),
  partner_id uuid not null,
  environment kelpie.environment not null,
  account kelpie.ledger_account not null,
  amount bigint not null check (amount <> 0),
  reason text not null check (char_length(reason) between 1 and 60),
  -- What the transfer was posted for: a payout, a deposit, a correction.
  cause_id uuid not null,
  wallet_balance_after bigint check (wallet_balance_after >= 0),
  wallet_version bigint check (wallet_version > 0),
  primary key (transfer_id, line),
  check (
    (account = 'wallet') = (wallet_balance_after is not null)
    and (account = 'wallet') = (wallet_version is not null)
  )
) partition by range (transfer_id);
comment on table kelpie.ledger_entries is '@grows @by-function About three rows a payout and as many for its end.';
alter table kelpie.ledger_entries enable row level security, force row level security;
create policy service_own on kelpie.ledger_entries for select to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.ledger_entries for select to kelpie_reader using (true);
create policy ledger_add on kelpie.ledger_entries for insert to kelpie_ledger with check (true);
create policy ledger_see on kelpie.ledger_entries for select to kelpie_ledger using (true);
grant select on kelpie.ledger_entries to kelpie_service, kelpie_reader;
grant select, insert on kelpie.ledger_entries to kelpie_ledger;

create trigger insert_only before update or delete on kelpie.ledger_entries
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.ledger_entries
  for each statement execute function kelpie.refuse_change();

grant usage on schema kelpie to kelpie_ledger;
grant create on schema kelpie to kelpie_ledger;

-- Posts many transfers of many partners in one call. The arrays are the columns of the entries, in order of arrival; the
-- entries of one transfer stand together. A transfer that would take its wallet below zero is not posted, and touches no
-- other. Says of each transfer with a wallet entry whether it was posted, and what the wallet then holds.
--
-- It belongs to a role of its own, whose policies let it write for every partner: a batch mixes them.
create function kelpie.post_transfers(
  transfer_ids uuid[],
  lines smallint[],
  partner_ids uuid[],
  environments kelpie.environment[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  cause_ids uuid[]
) returns table (transfer_id uuid, posted boolean, wallet_balance bigint)
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  change record;
  wallet record;
  refused uuid[] := '{}';
  touched uuid[] := '{}';
  balances bigint[] := '{}';
  versions bigint[] := '{}';
  wanted integer;
  found_wallets integer;
begin
  -- A null, or an array that is too short and padded with nulls, would slip through every comparison below.
  if exists (
    select from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids) as entry
    where not (entry is not null)
  ) then
    raise exception 'an entry is not whole' using errcode = 'not_null_violation';
  end if;
  if exists (
    select from unnest(transfer_ids, accounts, amounts) as entry (transfer_id, account, amount)
    group by entry.transfer_id, kelpie.currency_of(entry.account)
    having sum(entry.amount) <> 0
  ) then
    raise exception 'a transfer does not sum to zero' using errcode = 'check_violation';
  end if;
  if exists (
    select from unnest(transfer_ids, partner_ids, environments, accounts) as entry (transfer_id, partner_id, environment, account)
    group by entry.transfer_id
    having count(distinct (entry.partner_id, entry.environment)) > 1 or count(*) filter (where entry.account = 'wallet') > 1
  ) then
    raise exception 'a transfer has one partner, one environment and at most one wallet entry' using errcode = 'check_violation';
  end if;
  -- A transaction posts for the partner that it is about, and for none where it says none; a batch says that it is one.
  if not kelpie.is_batch() and exists (
    select from unnest(partner_ids, environments) as entry (partner_id, environment)
    where (entry.partner_id, entry.environment) is distinct from (kelpie.current_partner(), kelpie.current_environment())
  ) then
    raise exception 'a transfer of another partner' using errcode = 'insufficient_privilege';
  end if;

  select count(distinct (entry.partner_id, entry.environment)) into wanted
  from unnest(partner_ids, environments) as entry (partner_id, environment);
  select count(*) into found_wallets
  from kelpie.wallets w
  where (w.partner_id, w.environment) in (select * from unnest(partner_ids, environments));
  if found_wallets <> wanted then
    raise exception 'a transfer for a partner without a wallet' using errcode = 'foreign_key_violation';
  end if;

  -- Lock in the order of the key: two batches that share wallets would deadlock otherwise.
  perform from kelpie.wallets w
  where (w.partner_id, w.environment) in (
    select entry.partner_id, entry.environment
    from unnest(partner_ids, environments, accounts) as entry (partner_id, environment, account)
    where entry.account = 'wallet'
  )
  order by w.partner_id, w.environment
  for no key update;

  -- Wallet by wallet, in order of arrival: what a wallet can't cover is refused, and what comes behind it still has its turn.
  for change in
    select entry.transfer_id, entry.partner_id, entry.environment, -entry.amount as by_micro_usdc,
      row_number() over w = 1 as first, lead(entry.transfer_id) over w is null as last
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts) with ordinality
      as entry (transfer_id, partner_id, environment, account, amount, arrival)
    where entry.account = 'wallet'
    window w as (partition by entry.partner_id, entry.environment order by entry.arrival)
    order by entry.partner_id, entry.environment, entry.arrival
  loop
    if change.first then
      select w.balance_micro_usdc as balance, w.version into wallet
      from kelpie.wallets w
      where w.partner_id = change.partner_id and w.environment = change.environment;
    end if;
    posted := wallet.balance + change.by_micro_usdc >= 0;
    if not posted then
      refused := refused || change.transfer_id;
    else
      wallet.balance := wallet.balance + change.by_micro_usdc;
      wallet.version := wallet.version + 1;
      touched := touched || change.transfer_id;
      balances := balances || wallet.balance;
      versions := versions || wallet.version;
    end if;
    transfer_id := change.transfer_id;
    wallet_balance := wallet.balance;
    return next;
    if change.last then
      update kelpie.wallets w
      set balance_micro_usdc = wallet.balance, version = wallet.version
      where w.partner_id = change.partner_id and w.environment = change.environment and w.version <> wallet.version;
    end if;
  end loop;

  insert into kelpie.ledger_entries (
    transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version
  )
  select entry.transfer_id, entry.line, entry.partner_id, entry.environment, entry.account, entry.amount, entry.reason,
    entry.cause_id, after.balance, after.version
  from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
    as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
  left join unnest(touched, balances, versions) as after (transfer_id, balance, version)
    on after.transfer_id = entry.transfer_id and entry.account = 'wallet'
  where entry.transfer_id <> all (refused);

  -- Refused for want of funds, though it was posted before and that is where the funds are: a bug, as any other repeat.
  if exists (select from kelpie.ledger_entries e where e.transfer_id = any (refused) and e.line = 1) then
    raise exception 'a transfer that was posted before' using errcode = 'unique_violation';
  end if;
end;
$$;
-- Rights first, the owner last: what is revoked from a function that belongs to someone else stays, with a mere warning.
revoke all on function kelpie.post_transfers(uuid[], smallint[], uuid[], kelpie.environment[], kelpie.ledger_account[], bigint[], text[], uuid[])
  from public;
grant execute on function kelpie.post_transfers(uuid[], smallint[], uuid[], kelpie.environment[], kelpie.ledger_account[], bigint[], text[], uuid[])
  to kelpie_service;
alter function kelpie.post_transfers(uuid[], smallint[], uuid[], kelpie.environment[], kelpie.ledger_account[], bigint[], text[], uuid[])
  owner to kelpie_ledger;

-- For the few transfers whose lines depend on what the wallet holds: nobody else changes it until the commit.
create function kelpie.lock_wallet(of_partner uuid, of_environment kelpie.environment) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  balance bigint;
begin
  if (of_partner, of_environment) is distinct from (kelpie.current_partner(), kelpie.current_environment()) then
    raise exception 'a wallet of another partner' using errcode = 'insufficient_privilege';
  end if;
  select w.balance_micro_usdc into balance
  from kelpie.wallets w
  where w.partner_id = of_partner and w.environment = of_environment
  for no key update;
  return balance;
end;
$$;
revoke all on function kelpie.lock_wallet(uuid, kelpie.environment) from public;
grant execute on function kelpie.lock_wallet(uuid, kelpie.environment) to kelpie_service;
alter function kelpie.lock_wallet(uuid, kelpie.environment) owner to kelpie_ledger;

revoke create on schema kelpie from kelpie_ledger;
