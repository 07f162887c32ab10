-- A partner's statement: every movement of its wallet in a month, in the order in which the wallet had them.

-- A statement is read by number: each movement of a wallet has the next one. Only the wallet's own entries are in it, one for
-- a payout's hold and one for what comes back, so that a payout's commit writes little more than before.
create index ledger_entries_of_wallet on kelpie.ledger_entries (partner_id, environment, wallet_version) -- squawk-ignore require-concurrent-index-creation
  where account = 'wallet';

-- The number of the wallet's first movement at or after an instant, or null where there is none yet. A number is given when
-- a movement is booked, and its instant is taken a moment before, so neighbours can have theirs the other way round. A month
-- begins with the first number whose instant is in it, and what was booked behind that is in it too. This border can't move
-- any more: whatever is booked later has a higher number.
--
-- Partitions are months of UTC. London's begin with them in winter, and an hour before them in summer: within that hour the
-- border is found by halving, since numbers follow the time but for those of the same moment.
create function kelpie.first_movement_at(of_partner uuid, of_environment kelpie.environment, at timestamptz) returns bigint
  language plpgsql volatile
as $$
declare
  month_start timestamptz := date_trunc('month', at at time zone 'utc') at time zone 'utc';
  first_of_month uuid := kelpie.first_id_at(month_start);
  first_of_next uuid := kelpie.first_id_at((month_start at time zone 'utc' + interval '1 month') at time zone 'utc');
  first_wanted uuid := kelpie.first_id_at(at);
  -- Nothing takes longer from its instant to its number, by the deadlines of the service and with clocks a little apart.
  first_near uuid := kelpie.first_id_at(at - interval '1 minute');
  -- Nor are more booked meanwhile, but by a wallet that is asked for thousands a second: there, neighbours are nearer.
  most_near constant bigint := 20000;
  -- The border is behind the one and not behind the other.
  below bigint;
  above bigint;
  middle bigint;
  movement record;
  found_number bigint;
  later_number bigint;
begin
  if at > month_start then
    select min(e.wallet_version) - 1, max(e.wallet_version) + 1 into below, above
    from kelpie.ledger_entries e
    where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
      and e.transfer_id >= first_of_month and e.transfer_id < first_of_next;
    while above - below > 1 loop
      middle := (below + above) / 2;
      select e.wallet_version as number, e.transfer_id into movement
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next and e.wallet_version >= middle
      order by e.wallet_version limit 1;
      if movement.transfer_id >= first_wanted then
        found_number := movement.number;
        above := middle;
      else
        below := movement.number;
      end if;
    end loop;
    -- Of those that changed places around the border, the first counts.
    for movement in
      select e.wallet_version as number, e.transfer_id
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next
        and e.wallet_version < above and e.wallet_version >= above - most_near
      order by e.wallet_version desc
    loop
      exit when movement.transfer_id < first_near;
      if movement.transfer_id >= first_wanted then
        found_number := movement.number;
      end if;
    end loop;
    first_wanted := first_of_next;
  end if;
  select min(e.wallet_version) into later_number
  from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.transfer_id >= first_wanted;
  return least(found_number, later_number);
end;
$$;

-- What a month's statement stands between, in numbers of movements: from the first up to one before `next_number`. The
-- balances are those that the ledger noted with the movements around it, and the sum is made anew from all that are in it:
-- whoever reads this holds the one against the other. Where nothing has been booked behind the month, `held_after` is what
-- the wallet holds now.
create function kelpie.read_statement_frame(of_partner uuid, of_environment kelpie.environment, month_start date)
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
  -- A movement is in this month's partitions or, by a moment, beside them. One that was further away would be missed by the
  -- count, and the statement not be told.
  looked_from uuid;
  looked_to uuid;
begin
  perform kelpie.enter(of_partner, of_environment);
  began_at := month_start::timestamp at time zone 'Europe/London';
  ended_at := (month_start + interval '1 month') at time zone 'Europe/London';
  looked_from := kelpie.first_id_at(began_at - interval '1 day');
  looked_to := kelpie.first_id_at(ended_at + interval '1 day');

  -- First of all: what is booked while this runs is behind it, and is left to the next who asks.
  select w.balance_micro_usdc as balance, w.version into wallet
  from kelpie.wallets w where w.partner_id = of_partner and w.environment = of_environment;
  if not found then
    return;
  end if;
  first_number := least(kelpie.first_movement_at(of_partner, of_environment, began_at), wallet.version + 1);
  next_number := least(kelpie.first_movement_at(of_partner, of_environment, ended_at), wallet.version + 1);

  select e.wallet_balance_after into opening_balance from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version = first_number - 1 and e.transfer_id < looked_to;
  select e.wallet_balance_after into closing_balance from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version = next_number - 1 and e.transfer_id < looked_to;
  -- A wallet begins with nothing.
  opening_balance := case when first_number = 1 then 0 else opening_balance end;
  closing_balance := case when next_number = 1 then 0 else closing_balance end;

  select e.wallet_balance_after + e.amount as held_before into after_last from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version = next_number and e.wallet_version <= wallet.version;
  held_after := case when found then after_last.held_before else wallet.balance end;

  select count(*), coalesce(sum(-e.amount), 0) into movements, moved from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.wallet_version >= first_number and e.wallet_version < next_number
    and e.transfer_id >= looked_from and e.transfer_id < looked_to;
  return next;
end;
$$;

-- Movements of a month from a number on, each with the payout that it was for, where a partner can see that one.
create function kelpie.list_movements(
  of_partner uuid, of_environment kelpie.environment, began_at timestamptz, ended_at timestamptz, from_number bigint,
  before_number bigint, at_most integer
) returns table (
  number bigint, transfer_id uuid, reason text, change bigint, balance bigint, payout_id uuid, reference text
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  looked_from uuid := kelpie.first_id_at(began_at - interval '1 day');
  looked_to uuid := kelpie.first_id_at(ended_at + interval '1 day');
  -- By numbers, which have no gaps, and not by a limit: where few partners are known, the planner takes a month for a handful
  -- of rows, and would read all of it to sort it, for every page.
  upto_number bigint := least(before_number, from_number + at_most);
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select e.wallet_version, e.transfer_id, e.reason, -e.amount, e.wallet_balance_after,
      case when p.state not in ('sending', 'not_created') then p.id end, p.reference
    from (
      select * from kelpie.ledger_entries each
      where each.partner_id = of_partner and each.environment = of_environment and each.account = 'wallet'
        and each.wallet_version >= from_number and each.wallet_version < upto_number
        and each.transfer_id >= looked_from and each.transfer_id < looked_to
    ) e
    -- One by one, by their ids: each reads one partition, and nothing is read that is not on the page.
    left join lateral (
      select each.id, each.state, each.reference from kelpie.payouts each
      where each.id = e.cause_id and each.partner_id = of_partner and each.environment = of_environment
      limit 1
    ) p on true
    order by e.wallet_version;
end;
$$;
