-- Posts transfers, of any partners. The arrays are the columns of the entries, in order of arrival; the entries of one
-- transfer stand together.
--
-- Guarantees: every transfer sums to zero in each currency, is of one partner and environment, and has at most one wallet
--   entry; only listed pairs of reason and account are posted (kelpie.may_post); sandbox is never charged in pounds; a
--   payout is refunded once, and once more if it was adopted; a wallet never goes below zero, and what is credited to one
--   first repays what its partner owes; nothing in pounds is posted to a month whose books are closed.
--   Outside a batch, a transaction posts for its own partner only. A transfer that its wallet can't cover is not posted, nor
--   what follows of its cause; it touches no other.
-- Returns one row for each transfer that moves a wallet or was not posted: whether it was, and what the wallet then holds.
-- Locks: books (shared, where there are pounds), then wallets, debts and payment blocks, each in order. Closing the books
--   waits for those who post.
-- Owner: kelpie_ledger
-- Callers: kelpie_payouts, kelpie_service
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
  refused_causes uuid[] := '{}';
  followers uuid[];
  touched uuid[] := '{}';
  balances bigint[] := '{}';
  versions bigint[] := '{}';
  lowest bigint;
  is_whole boolean;
  is_balanced boolean;
  is_of_one boolean;
  is_listed boolean;
  -- As a rule all is USDC. An account without a currency counts as pounds, and is refused there.
  has_pounds boolean := not accounts <@ kelpie.usdc_accounts();
  has_credit boolean;
  has_debt boolean := 'partner_receivable' = any (accounts);
begin
  -- A null, or an array that is too short and padded with nulls, would slip through every comparison below.
  select bool_and(t.is_whole), bool_and(t.is_balanced), bool_and(t.is_listed),
    bool_and(t.wallet_entries <= 1) and count(*) = count(distinct t.transfer_id), bool_or(t.has_credit)
  into is_whole, is_balanced, is_listed, is_of_one, has_credit
  from (
    select entry.transfer_id, bool_and(entry is not null) as is_whole,
      sum(entry.amount) = 0 as is_balanced,
      bool_and(kelpie.may_post(entry.reason, entry.account)) as is_listed,
      bool_or(entry.account = 'wallet' and entry.amount < 0) as has_credit,
      count(*) filter (where entry.account = 'wallet') as wallet_entries
    from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
      as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
    group by entry.transfer_id, entry.partner_id, entry.environment
  ) t;
  -- Of USDC alone, the sums above say it all.
  if has_pounds then
    is_balanced := not exists (
      select from unnest(transfer_ids, accounts, amounts) as entry (transfer_id, account, amount)
      group by entry.transfer_id, kelpie.currency_of(entry.account)
      having sum(entry.amount) <> 0 or kelpie.currency_of(entry.account) is null
    );
  end if;
  if not is_whole then
    raise exception 'an entry is not whole' using errcode = 'not_null_violation';
  end if;
  if not is_of_one then
    raise exception 'a transfer has one partner, one environment and at most one wallet entry' using errcode = 'check_violation';
  end if;
  if not is_balanced then
    raise exception 'a transfer does not sum to zero' using errcode = 'check_violation';
  end if;
  if not is_listed then
    raise exception 'an account that is not listed for its reason' using errcode = 'check_violation';
  end if;
  if has_pounds and exists (
    select from unnest(environments, accounts) as entry (environment, account)
    where entry.environment <> 'live' and kelpie.currency_of(entry.account) <> 'USDC'
  ) then
    raise exception 'sandbox is never charged' using errcode = 'check_violation';
  end if;
  -- Outside a batch, also where the transaction names no partner.
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
    ) target
    where not exists (
      select from kelpie.wallets w where w.partner_id = target.partner_id and w.environment = target.environment
    )
  ) then
    raise exception 'a transfer for a partner without a wallet' using errcode = 'foreign_key_violation';
  end if;

  if has_pounds then
    perform pg_advisory_xact_lock_shared(kelpie.books_key(target.partner_id))
    from (
      select distinct entry.partner_id
      from unnest(partner_ids, accounts) as entry (partner_id, account)
      where kelpie.currency_of(entry.account) <> 'USDC' order by 1
    ) target;
    if exists (
      select from unnest(transfer_ids, partner_ids, accounts) as entry (transfer_id, partner_id, account)
      join kelpie.closed_books b on b.partner_id = entry.partner_id
      where kelpie.currency_of(entry.account) <> 'USDC' and entry.transfer_id < kelpie.first_id_at(b.closed_until)
    ) then
      raise exception 'the books of that month are closed: post it now' using errcode = 'KP423';
    end if;
  end if;

  if 'wallet' = any (accounts) then
    -- Lock in the order of the key: two batches that share wallets would deadlock otherwise.
    perform from kelpie.wallets w
    where (w.partner_id, w.environment) in (
      select entry.partner_id, entry.environment
      from unnest(partner_ids, environments, accounts) as entry (partner_id, environment, account)
      where entry.account = 'wallet'
    )
    order by w.partner_id, w.environment
    for no key update;
  end if;

  -- As a rule no partner owes anything.
  if has_credit and exists (
    select from unnest(partner_ids, environments) as entry (partner_id, environment)
    join kelpie.debts d on d.partner_id = entry.partner_id and d.environment = entry.environment
    where d.owed_micro_usdc > 0
  ) then
    has_debt := true;
    select array_agg(e.transfer_id order by e.place), array_agg(e.line order by e.place),
      array_agg(e.partner_id order by e.place), array_agg(e.environment order by e.place),
      array_agg(e.account order by e.place), array_agg(e.amount order by e.place), array_agg(e.reason order by e.place),
      array_agg(e.cause_id order by e.place)
    into transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids
    from kelpie.repay_debts(
      transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids
    ) e;
  end if;

  if 'wallet' = any (accounts) then
    -- As a rule every wallet covers all of its transfers, and this is one step for all of them.
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
  end if;
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
    -- Wallet by wallet, in order of arrival: a transfer that is not covered is refused, and the next still has its turn.
    for change in
      select entry.transfer_id, entry.partner_id, entry.environment, entry.cause_id, -entry.amount as by_micro_usdc,
        row_number() over w = 1 as first, lead(entry.transfer_id) over w is null as last
      from unnest(transfer_ids, partner_ids, environments, accounts, amounts, cause_ids) with ordinality
        as entry (transfer_id, partner_id, environment, account, amount, cause_id, arrival)
      where entry.account = 'wallet'
      window w as (partition by entry.partner_id, entry.environment order by entry.arrival)
      order by entry.partner_id, entry.environment, entry.arrival
    loop
      if change.first then
        select w.balance_micro_usdc as balance, w.version into wallet
        from kelpie.wallets w
        where w.partner_id = change.partner_id and w.environment = change.environment;
      end if;
      posted := wallet.balance + change.by_micro_usdc >= 0 and change.cause_id <> all (refused_causes);
      if not posted then
        refused := refused || change.transfer_id;
        refused_causes := refused_causes || change.cause_id;
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
    -- What follows and moves no wallet.
    followers := array(
      select distinct e.transfer_id
      from (
        select entry.transfer_id,
          bool_or(entry.transfer_id = any (refused)) over (partition by entry.cause_id order by entry.arrival) as follows
        from unnest(transfer_ids, cause_ids) with ordinality as entry (transfer_id, cause_id, arrival)
        where entry.cause_id = any (refused_causes)
      ) e
      where e.follows and e.transfer_id <> all (refused)
    );
    refused := refused || followers;
    return query
      select distinct entry.transfer_id, false, w.balance_micro_usdc
      from unnest(transfer_ids, partner_ids, environments) as entry (transfer_id, partner_id, environment)
      join kelpie.wallets w on w.partner_id = entry.partner_id and w.environment = entry.environment
      where entry.transfer_id = any (followers);
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

  if has_credit then
    insert into kelpie.payout_refunds (payout_id, partner_id, environment, transfer_id, after_adoption)
    select distinct entry.cause_id, entry.partner_id, entry.environment, entry.transfer_id, exists (
      select from kelpie.proposals a
      where a.subject = entry.cause_id::text and a.action = 'payout.adopt' and a.outcome = 'done'
    )
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts, reasons, cause_ids)
      as entry (transfer_id, partner_id, environment, account, amount, reason, cause_id)
    -- What repays a debt came back as well.
    where entry.account in ('wallet', 'partner_receivable') and entry.amount < 0 and entry.reason like 'payout.%'
      and entry.transfer_id <> all (refused);
  end if;

  -- One row per partner and account, whatever the number of payouts.
  if accounts && kelpie.house_accounts() then
    insert into kelpie.house_changes (partner_id, environment, account, amount, on_day)
    select entry.partner_id, entry.environment, entry.account, sum(entry.amount),
      kelpie.london_day(kelpie.instant_of(entry.transfer_id))
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts)
      as entry (transfer_id, partner_id, environment, account, amount)
    where entry.account = any (kelpie.house_accounts()) and entry.transfer_id <> all (refused)
    group by entry.partner_id, entry.environment, entry.account, 5
    having sum(entry.amount) <> 0;
  end if;

  if has_debt then
    perform kelpie.count_debts(transfer_ids, partner_ids, environments, accounts, amounts, refused);
  end if;

  -- A repeated transfer that was refused for lack of funds, because its first posting took them: a bug like any repeat.
  if refused <> '{}' and exists (
    select from unnest(refused) as r (transfer_id)
    join kelpie.ledger_entries e on e.transfer_id = r.transfer_id and e.line = 1
  ) then
    raise exception 'a transfer that was posted before' using errcode = 'unique_violation';
  end if;
end;
$$;
