-- Billing: what a partner owes us, in accounts of its own in the same ledger, and the invoices that gather it month by month.
-- Every charge is posted when it happens. An invoice adds up what was posted in a calendar month of London's, and closes that
-- month's books: nothing can be posted into it any more, so nothing is on two invoices or on none.

-- Fractions of a penny, in millionths of a pound: network fees, until an invoice rounds their sum once. Those that are not
-- named below in this migration can be used after it alone; hence the comparisons by order.
alter type kelpie.ledger_account add value 'accrued_revenue' after 'revenue';
alter type kelpie.ledger_account add value 'accrued' after 'credit_due';

create or replace function kelpie.currency_of(account kelpie.ledger_account) returns text
  language sql immutable strict parallel safe
  return case
    when account <= 'exception_loss' then 'USDC'
    when account in ('receivable', 'revenue', 'credit_due') then 'GBP'
    else 'GBP millionths'
  end;

-- What invoices are gathered from: receivable, credit_due and accrued, by partner and time. It carries all that is added up,
-- so that ten thousand payouts are read from a few hundred pages. A payout gets its entries here when it has arrived, and
-- with real money only.
create index ledger_entries_to_invoice on kelpie.ledger_entries (partner_id, transfer_id) -- squawk-ignore require-concurrent-index-creation
  include (environment, account, amount, reason)
  where account = 'receivable' or account >= 'credit_due';

-- Sandbox is never charged, whatever the code believes.
alter table kelpie.ledger_entries
  add constraint ledger_entries_live_pounds check (environment = 'live' or account <= 'exception_loss') not valid;

-- Until when a partner's books in pounds are closed. It only moves forward, a month at a time.
create table kelpie.closed_books (
  partner_id uuid primary key references kelpie.partners (id),
  closed_until timestamptz not null
);
comment on table kelpie.closed_books is '@bounded One row a partner that has been invoiced.';
alter table kelpie.closed_books enable row level security, force row level security;
create policy service_own on kelpie.closed_books for select to kelpie_service using (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.closed_books for select to kelpie_reader using (true);
create policy ledger_all on kelpie.closed_books to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.closed_books for select to kelpie_payouts using (true);
grant select on kelpie.closed_books to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, update on kelpie.closed_books to kelpie_ledger;

-- The lock that keeps a charge and an invoice of the same partner from passing each other.
create function kelpie.books_key(of_partner uuid) returns bigint
  language sql immutable strict parallel safe
  return hashtextextended('kelpie.books ' || of_partner::text, 0);

grant create on schema kelpie to kelpie_ledger;
set local role kelpie_ledger;

-- As before; and what is posted in pounds is posted to books that are open. Whoever posts holds the books against their
-- being closed; whoever closes them waits for all who post, and sees what they posted.
create or replace function kelpie.post_transfers(
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
  -- Wallets are found by their keys, also on a connection that first saw few of them.
  set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  change record;
  wallet record;
  refused uuid[] := '{}';
  touched uuid[] := '{}';
  balances bigint[] := '{}';
  versions bigint[] := '{}';
  lowest bigint;
  is_whole boolean;
  is_balanced boolean;
  is_of_one boolean;
  has_pounds boolean;
begin
  -- A null, or an array that is too short and padded with nulls, would slip through every comparison below.
  select bool_and(t.is_whole), bool_and(t.usdc = 0 and t.gbp = 0 and t.gbp_millionths = 0),
    bool_and(t.wallet_entries <= 1) and count(*) = count(distinct t.transfer_id), bool_or(t.has_pounds)
  into is_whole, is_balanced, is_of_one, has_pounds
  from (
    select entry.transfer_id, bool_and(entry is not null) as is_whole,
      -- As kelpie.currency_of says; a call of it for each entry would cost more than all the rest.
      coalesce(sum(entry.amount) filter (where entry.account in ('receivable', 'revenue', 'credit_due')), 0) as gbp,
      coalesce(sum(entry.amount) filter (where entry.account in ('accrued', 'accrued_revenue')), 0) as gbp_millionths,
      coalesce(sum(entry.amount) filter (where entry.account <= 'exception_loss'), 0) as usdc,
      bool_or(entry.account > 'exception_loss') as has_pounds,
      count(*) filter (where entry.account = 'wallet') as wallet_entries
    from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
      as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
    group by entry.transfer_id, entry.partner_id, entry.environment
  ) t;
  if not is_whole then
    raise exception 'an entry is not whole' using errcode = 'not_null_violation';
  end if;
  if not is_of_one then
    raise exception 'a transfer has one partner, one environment and at most one wallet entry' using errcode = 'check_violation';
  end if;
  if not is_balanced then
    raise exception 'a transfer does not sum to zero' using errcode = 'check_violation';
  end if;
  -- A transaction posts for the partner that it is about, and for none where it says none; a batch says that it is one.
  if not kelpie.is_batch() and exists (
    select from unnest(partner_ids, environments) as entry (partner_id, environment)
    where (entry.partner_id, entry.environment) is distinct from (kelpie.current_partner(), kelpie.current_environment())
  ) then
    raise exception 'a transfer of another partner' using errcode = 'insufficient_privilege';
  end if;

  if exists (
    select from (
      select distinct entry.partner_id, entry.environment
      from unnest(partner_ids, environments) as entry (partner_id, environment)
    ) side
    where not exists (
      select from kelpie.wallets w where w.partner_id = side.partner_id and w.environment = side.environment
    )
  ) then
    raise exception 'a transfer for a partner without a wallet' using errcode = 'foreign_key_violation';
  end if;

  if has_pounds then
    perform pg_advisory_xact_lock_shared(kelpie.books_key(side.partner_id))
    from (
      select distinct entry.partner_id
      from unnest(partner_ids, accounts) as entry (partner_id, account)
      where entry.account > 'exception_loss' order by 1
    ) side;
    if exists (
      select from unnest(transfer_ids, partner_ids, accounts) as entry (transfer_id, partner_id, account)
      join kelpie.closed_books b on b.partner_id = entry.partner_id
      where entry.account > 'exception_loss' and entry.transfer_id < kelpie.first_id_at(b.closed_until)
    ) then
      raise exception 'the books of that month are closed: post it now' using errcode = 'KP423';
    end if;
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

  -- As a rule every wallet covers all that is asked of it. Then this is one step for all of them.
  select array_agg(c.transfer_id), array_agg(w.balance_micro_usdc + c.so_far), array_agg(w.version + c.nth),
    min(w.balance_micro_usdc + c.so_far)
  into touched, balances, versions, lowest
  from (
    select entry.transfer_id, entry.partner_id, entry.environment, (sum(-entry.amount) over w)::bigint as so_far,
      row_number() over w as nth
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts) with ordinality
      as entry (transfer_id, partner_id, environment, account, amount, arrival)
    where entry.account = 'wallet'
    window w as (partition by entry.partner_id, entry.environment order by entry.arrival)
  ) c
  join kelpie.wallets w on w.partner_id = c.partner_id and w.environment = c.environment;
  if lowest >= 0 then
    update kelpie.wallets w
    set balance_micro_usdc = w.balance_micro_usdc + c.by_micro_usdc, version = w.version + c.entries
    from (
      select entry.partner_id, entry.environment, sum(-entry.amount)::bigint as by_micro_usdc, count(*) as entries
      from unnest(partner_ids, environments, accounts, amounts) as entry (partner_id, environment, account, amount)
      where entry.account = 'wallet'
      group by entry.partner_id, entry.environment
    ) c
    where w.partner_id = c.partner_id and w.environment = c.environment;
    return query select t.transfer_id, true, t.balance from unnest(touched, balances) as t (transfer_id, balance);
  elsif lowest < 0 then
    touched := '{}';
    balances := '{}';
    versions := '{}';
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
  end if;

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
  if refused <> '{}' and exists (
    select from unnest(refused) as r (transfer_id)
    join kelpie.ledger_entries e on e.transfer_id = r.transfer_id and e.line = 1
  ) then
    raise exception 'a transfer that was posted before' using errcode = 'unique_violation';
  end if;
end;
$$;

-- Nobody else posts in pounds for the transaction's partner until its commit. Says until when its books are closed; null
-- where they never were.
create function kelpie.lock_books() returns timestamptz
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
begin
  if of_partner is null then
    raise exception 'the transaction names no partner' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(kelpie.books_key(of_partner));
  -- In a statement of its own: it has to see what those whom we waited for have written.
  return (select b.closed_until from kelpie.closed_books b where b.partner_id = of_partner);
end;
$$;
revoke all on function kelpie.lock_books() from public;
grant execute on function kelpie.lock_books() to kelpie_service;

-- Nothing is posted in pounds for the transaction's partner before that instant any more.
create function kelpie.close_books(upto timestamptz) returns void
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
    raise exception 'these books are closed already' using errcode = 'check_violation';
  end if;
end;
$$;
revoke all on function kelpie.close_books(timestamptz) from public;
grant execute on function kelpie.close_books(timestamptz) to kelpie_service;

-- What was posted in pounds for a partner between two ids, added up by what it was: charges and what took them back, apart.
-- What an invoice posted itself is no charge. It belongs to the ledger's role: whose a row is, is compared once here, and
-- would be for each of many thousand rows otherwise.
create function kelpie.gather_charges(of_partner uuid, from_id uuid, before_id uuid)
  returns table (reason text, is_taken_back boolean, items bigint, amount numeric)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  -- A month of one partner is a small part of all that there is, also where few partners are known.
  set enable_seqscan = off
as $$
begin
  -- Also where the transaction names none.
  if kelpie.current_partner() is distinct from of_partner then
    raise exception 'charges of another partner' using errcode = 'insufficient_privilege';
  end if;
  return query
    select e.reason, e.amount < 0, count(*), sum(e.amount)
    from kelpie.ledger_entries e
    where e.partner_id = of_partner and e.transfer_id >= from_id and e.transfer_id < before_id
      and (e.account = 'receivable' or e.account >= 'credit_due') and e.environment = 'live'
      and e.reason <> 'invoice.issued'
    group by 1, 2;
end;
$$;
revoke all on function kelpie.gather_charges(uuid, uuid, uuid) from public;
grant execute on function kelpie.gather_charges(uuid, uuid, uuid) to kelpie_service;

reset role;
revoke create on schema kelpie from kelpie_ledger;

-- What else is charged, beside payouts. Plans never change, so that what was reckoned with one can be reckoned again.
alter table kelpie.price_plans
  add column verification_pence bigint not null default 3900,
  add column network_markup_basis_points bigint not null default 1000,
  add column exception_markup_basis_points bigint not null default 2000;
alter table kelpie.price_plans
  add constraint price_plans_markups_check check (
    verification_pence >= 0 and network_markup_basis_points between 0 and 100000
    and exception_markup_basis_points between 0 and 100000
  ) not valid;
create trigger never_changed before update or delete on kelpie.price_plans
  for each row execute function kelpie.refuse_change();

-- Which plan a partner had when: a change counts from the instant that it is made, and never before.
create table kelpie.price_plan_changes (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Two at one instant have an order, too.
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  at timestamptz not null,
  from_plan text not null references kelpie.price_plans (id),
  to_plan text not null references kelpie.price_plans (id),
  by text not null,
  primary key (partner_id, environment, number),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.price_plan_changes is '@bounded A row for each time that somebody gave a partner another plan.';
alter table kelpie.price_plan_changes enable row level security, force row level security;
create policy service_own on kelpie.price_plan_changes for select to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.price_plan_changes for select to kelpie_reader using (true);
create policy payouts_all on kelpie.price_plan_changes to kelpie_payouts using (true) with check (true);
grant select on kelpie.price_plan_changes to kelpie_service, kelpie_reader;
grant select, insert on kelpie.price_plan_changes to kelpie_payouts;
create trigger insert_only before update or delete on kelpie.price_plan_changes
  for each row execute function kelpie.refuse_change();
create policy payouts_price on kelpie.partner_environments for update to kelpie_payouts using (true) with check (true);
grant update (price_plan) on kelpie.partner_environments to kelpie_payouts;

-- The plan of the transaction's side at an instant.
create function kelpie.price_plan_at(instant timestamptz) returns text
  language sql stable
begin atomic
  select coalesce(
    (
      select c.to_plan from kelpie.price_plan_changes c
      where c.partner_id = e.partner_id and c.environment = e.environment and c.at <= instant
      order by c.number desc limit 1
    ),
    (
      select c.from_plan from kelpie.price_plan_changes c
      where c.partner_id = e.partner_id and c.environment = e.environment and c.at > instant
      order by c.number limit 1
    ),
    e.price_plan
  )
  from kelpie.partner_environments e
  where e.partner_id = kelpie.current_partner() and e.environment = kelpie.current_environment();
end;

-- What is charged besides payouts, each once: the account for a month, the verification, an exception that the bank billed us
-- for by its own reference.
create table kelpie.single_charges (
  partner_id uuid not null references kelpie.partners (id),
  kind text not null check (kind in ('monthly_account', 'business_verification', 'bank_exceptions')),
  -- What makes it that one: a month, a word, the bank's reference.
  occasion text not null check (char_length(occasion) between 1 and 100),
  transfer_id uuid not null,
  at timestamptz not null,
  by text not null,
  primary key (partner_id, kind, occasion)
);
comment on table kelpie.single_charges is '@bounded A row a partner and month, and few besides.';
alter table kelpie.single_charges enable row level security, force row level security;
create policy service_own on kelpie.single_charges to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.single_charges for select to kelpie_reader using (true);
grant select, insert on kelpie.single_charges to kelpie_service;
grant select on kelpie.single_charges to kelpie_reader;
create trigger insert_only before update or delete on kelpie.single_charges
  for each row execute function kelpie.refuse_change();

-- The number of the last invoice. It is raised in the commit of the invoice that gets the next: so there are no gaps.
create table kelpie.invoice_counter (
  is_only boolean primary key default true check (is_only),
  last_number bigint not null
);
comment on table kelpie.invoice_counter is '@bounded @shared One row.';
insert into kelpie.invoice_counter (last_number) values (0);
grant select, update (last_number) on kelpie.invoice_counter to kelpie_service;
grant select on kelpie.invoice_counter to kelpie_reader;

create table kelpie.invoices (
  id uuid primary key,
  partner_id uuid not null references kelpie.partners (id),
  number bigint not null unique check (number > 0),
  -- A calendar month of London's, and the instants that it begins and ends at.
  period text not null check (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  begins_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > begins_at),
  -- Overdue is one that is issued and was due before now: that is read from the clock, and not kept.
  status text not null check (status in ('draft', 'issued', 'paid', 'void')),
  -- As the partner was called, and where it had its invoices sent, when it was issued: what was sent does not change.
  billed_to_name text not null,
  billed_to_email text,
  total_pence bigint not null check (total_pence >= 0),
  -- Credit that this invoice had from the one before, and what it left to the next.
  carried_in_pence bigint not null check (carried_in_pence >= 0),
  carried_out_pence bigint not null check (carried_out_pence >= 0),
  issued_at timestamptz not null,
  due_at timestamptz not null check (due_at > issued_at),
  -- What it did in the ledger itself: rounded network fees, and credit that it used. Null where neither was.
  transfer_id uuid,
  unique (partner_id, period),
  unique (partner_id, id),
  check (total_pence = 0 or carried_out_pence = 0)
);
comment on table kelpie.invoices is '@grows @kept-whole One row a partner and month: their numbers have no gaps.';
alter table kelpie.invoices enable row level security, force row level security;
create policy service_own on kelpie.invoices to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.invoices for select to kelpie_reader using (true);
grant select, insert on kelpie.invoices to kelpie_service;
grant select on kelpie.invoices to kelpie_reader;
create trigger insert_only before delete on kelpie.invoices for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.invoices for each statement execute function kelpie.refuse_change();

create table kelpie.invoice_lines (
  invoice_id uuid not null,
  partner_id uuid not null,
  -- One line of each kind.
  kind text not null check (
    kind in ('payout_fees', 'monthly_account', 'business_verification', 'network_fees', 'bank_exceptions', 'credit')
  ),
  place integer not null check (place > 0), -- squawk-ignore prefer-bigint-over-int
  description text not null,
  quantity bigint not null check (quantity > 0),
  unit_price_pence bigint not null check (unit_price_pence >= 0),
  amount_pence bigint not null check (amount_pence = quantity * unit_price_pence),
  -- How many entries of the ledger are behind it.
  items bigint not null check (items > 0),
  primary key (invoice_id, kind),
  foreign key (partner_id, invoice_id) references kelpie.invoices (partner_id, id)
);
comment on table kelpie.invoice_lines is '@grows @kept-whole A few rows an invoice.';
alter table kelpie.invoice_lines enable row level security, force row level security;
create policy service_own on kelpie.invoice_lines to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.invoice_lines for select to kelpie_reader using (true);
grant select, insert on kelpie.invoice_lines to kelpie_service;
grant select on kelpie.invoice_lines to kelpie_reader;
create trigger insert_only before update or delete on kelpie.invoice_lines
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.invoice_lines
  for each statement execute function kelpie.refuse_change();

-- The same in one call, for whoever has no transaction of that partner's yet.
create function kelpie.read_charges(of_partner uuid, from_id uuid, before_id uuid)
  returns table (reason text, is_taken_back boolean, items bigint, amount numeric)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, 'live');
  return query select * from kelpie.gather_charges(of_partner, from_id, before_id);
end;
$$;

-- What was posted in pounds for a partner between two ids, one by one, from the entry after a place on; those with one of some
-- reasons alone, where any are named.
create function kelpie.list_charges(
  of_partner uuid, from_id uuid, before_id uuid, of_reasons text[], after_transfer uuid, after_line integer, at_most integer
) returns table (
  transfer_id uuid, line smallint, reason text, amount bigint, cause_id uuid, payout_id uuid, reference text,
  payout_amount_pence bigint
)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  perform kelpie.enter(of_partner, 'live');
  return query
    select c.transfer_id, c.line, c.reason, c.amount, c.cause_id, p.id, p.reference, p.amount_pence
    from (
      select e.transfer_id, e.line, e.reason, e.amount, e.cause_id
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.transfer_id >= greatest(from_id, after_transfer) and e.transfer_id < before_id
        and (e.account = 'receivable' or e.account >= 'credit_due') and e.environment = 'live'
        and e.reason <> 'invoice.issued' and (of_reasons is null or e.reason = any (of_reasons))
        and (e.transfer_id, e.line::integer) > (after_transfer, after_line)
      order by e.transfer_id, e.line limit at_most
    ) c
    left join kelpie.payouts p on p.id = c.cause_id
    order by c.transfer_id, c.line;
end;
$$;

-- A partner's invoices, the newest first, from a period on.
create function kelpie.list_invoices(of_partner uuid, from_period text, of_id uuid, at_most integer)
  returns table (
    id uuid, number bigint, period text, begins_at timestamptz, ends_at timestamptz, status text, billed_to_name text,
    billed_to_email text, total_pence bigint, carried_in_pence bigint, carried_out_pence bigint, issued_at timestamptz,
    due_at timestamptz, lines jsonb
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, 'live');
  return query
    select i.id, i.number, i.period, i.begins_at, i.ends_at, i.status, i.billed_to_name, i.billed_to_email, i.total_pence,
      i.carried_in_pence, i.carried_out_pence, i.issued_at, i.due_at, (
        select jsonb_agg(
          jsonb_build_array(l.kind, l.description, l.quantity::text, l.unit_price_pence::text, l.amount_pence::text, l.items::text)
          order by l.place
        )
        from kelpie.invoice_lines l where l.invoice_id = i.id
      )
    from kelpie.invoices i
    where i.partner_id = of_partner and i.period >= from_period and (of_id is null or i.id = of_id)
    order by i.period desc limit at_most;
end;
$$;

grant create on schema kelpie to kelpie_payouts;

-- Gives the transaction's side another plan from now on. Says false where it has that one already.
create function kelpie.change_price_plan(at timestamptz, new_plan text, by_whom text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  side record;
begin
  select e.partner_id, e.environment, e.price_plan into strict side
  from kelpie.partner_environments e
  where e.partner_id = kelpie.current_partner() and e.environment = kelpie.current_environment()
  for no key update;
  if side.price_plan = new_plan then
    return false;
  end if;
  insert into kelpie.price_plan_changes (partner_id, environment, number, at, from_plan, to_plan, by)
  select side.partner_id, side.environment, count(*) + 1, change_price_plan.at, side.price_plan, new_plan, by_whom
  from kelpie.price_plan_changes c where c.partner_id = side.partner_id and c.environment = side.environment;
  update kelpie.partner_environments e set price_plan = new_plan
  where e.partner_id = side.partner_id and e.environment = side.environment;
  return true;
end;
$$;
revoke all on function kelpie.change_price_plan(timestamptz, text, text) from public;
grant execute on function kelpie.change_price_plan(timestamptz, text, text) to kelpie_service;
alter function kelpie.change_price_plan(timestamptz, text, text) owner to kelpie_payouts;

-- Partners with a live side whose books are not closed until an instant, a page at a time. No more than who they are: the
-- rest is read as theirs.
create function kelpie.list_books_to_close(upto timestamptz, after_partner uuid, at_most integer)
  returns table (partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id from kelpie.partner_environments e
  left join kelpie.closed_books b on b.partner_id = e.partner_id
  where e.environment = 'live' and e.created_at < upto and e.partner_id > after_partner
    and (b.closed_until is null or b.closed_until < upto)
  order by e.partner_id limit least(at_most, 500)
$$;
revoke all on function kelpie.list_books_to_close(timestamptz, uuid, integer) from public;
grant execute on function kelpie.list_books_to_close(timestamptz, uuid, integer) to kelpie_service;
alter function kelpie.list_books_to_close(timestamptz, uuid, integer) owner to kelpie_payouts;

-- How many there are, for whoever watches a run.
create function kelpie.count_books_to_close(upto timestamptz) returns bigint
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select count(*) from kelpie.partner_environments e
  left join kelpie.closed_books b on b.partner_id = e.partner_id
  where e.environment = 'live' and e.created_at < upto and (b.closed_until is null or b.closed_until < upto)
$$;
revoke all on function kelpie.count_books_to_close(timestamptz) from public;
grant execute on function kelpie.count_books_to_close(timestamptz) to kelpie_service;
alter function kelpie.count_books_to_close(timestamptz) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;
