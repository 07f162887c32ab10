-- Retrieves the bounds of a wallet's monthly statement: movements `first_number` up to, but not including, `next_number`.
-- The balances are those that the ledger stored with the movements around the bounds. `movements` and `moved` are counted
--   and summed again from the entries, so the caller can check one against the other.
-- Returns no row when there is no wallet. A balance is null when the ledger has a gap there. `held_after` is the balance
--   before the first movement after the month, or the current balance when there is none.
-- Of a month whose movements are in the archive it returns what it returned before these left.
-- Callers: everyone
create or replace function kelpie.read_statement_frame(of_partner uuid, of_environment kelpie.environment, month_start date)
  returns table (
    began_at timestamptz, ended_at timestamptz, first_number bigint, next_number bigint,
    opening_balance bigint, closing_balance bigint, held_after bigint, movements bigint, moved numeric
  )
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  wallet record;
  after_last record;
  -- A movement's id is within its month or moments outside it. A day of margin covers that and limits the partitions read.
  -- One further away would be missing from the count, and the caller's check would refuse the statement.
  scanned_from uuid;
  scanned_to uuid;
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  -- No month leaves or returns between the statements below.
  lock table only kelpie.ledger_entries in access share mode;
  return query
    select s.began_at, s.ended_at, s.first_number, s.next_number, s.opening_balance, s.closing_balance, s.held_after, s.movements,
      s.moved
    from kelpie.archived_statements s
    join kelpie.archived_months m on m.month = s.month and m.left_at is not null
    where s.partner_id = of_partner and s.environment = of_environment and s.london_month = month_start limit 1;
  if found then
    return;
  end if;
  began_at := month_start::timestamp at time zone 'Europe/London';
  ended_at := (month_start + interval '1 month') at time zone 'Europe/London';
  scanned_from := kelpie.first_id_at(began_at - interval '1 day');
  scanned_to := kelpie.first_id_at(ended_at + interval '1 day');

  -- Read the wallet first: movements posted while this runs have a higher version and are left out.
  select w.balance_micro_usdc as balance, w.version into wallet
  from kelpie.wallets w where w.partner_id = of_partner and w.environment = of_environment;
  if not found then
    return;
  end if;
  first_number := least(kelpie.first_movement_at(of_partner, of_environment, began_at), wallet.version + 1);
  next_number := least(kelpie.first_movement_at(of_partner, of_environment, ended_at), wallet.version + 1);

  opening_balance := kelpie.wallet_balance_at(of_partner, of_environment, first_number - 1, scanned_to);
  closing_balance := kelpie.wallet_balance_at(of_partner, of_environment, next_number - 1, scanned_to);
  -- A wallet starts empty.
  opening_balance := case when first_number = 1 then 0 else opening_balance end;
  closing_balance := case when next_number = 1 then 0 else closing_balance end;

  select e.wallet_balance_after + e.amount as held_before into after_last from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version = next_number and e.wallet_version <= wallet.version;
  if not found then
    select c.held_before into after_last from kelpie.carried_entries c
    where c.partner_id = of_partner and c.environment = of_environment and c.account = 'wallet'
      and c.first_version = next_number and c.first_version <= wallet.version
      and exists (select from kelpie.archived_months m where m.month = c.month and m.left_at is not null);
  end if;
  held_after := case when found then after_last.held_before else wallet.balance end;

  select count(*), coalesce(sum(-e.amount), 0) into movements, moved from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version >= first_number and e.wallet_version < next_number
    and e.transfer_id >= scanned_from and e.transfer_id < scanned_to;
  return next;
end;
$$;
