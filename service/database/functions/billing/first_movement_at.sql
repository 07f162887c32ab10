-- Returns the number of the wallet's first movement at or after an instant, or null when there is none yet.
-- A movement gets its instant slightly before its number, so neighbours can be out of order. A month begins with the lowest
--   number whose instant is in it, and every higher number belongs to it or to a later month.
-- Guarantees: once there is a movement at or after the instant, the result never changes, because later movements get
--   higher numbers.
-- Partitions are UTC months. A London month begins with one in winter and an hour before it in summer. In that hour the
--   boundary is found by binary search, because numbers follow time except among near neighbours.
-- Callers: everyone
create or replace function kelpie.first_movement_at(of_partner uuid, of_environment kelpie.environment, at timestamptz) returns bigint
  language plpgsql volatile
as $$
declare
  month_start timestamptz := date_trunc('month', at at time zone 'utc') at time zone 'utc';
  first_of_month uuid := kelpie.first_id_at(month_start);
  first_of_next uuid := kelpie.first_id_at((month_start at time zone 'utc' + interval '1 month') at time zone 'utc');
  first_wanted uuid := kelpie.first_id_at(at);
  -- No movement takes longer from its instant to its number, given the service's deadlines and some clock skew.
  first_near uuid := kelpie.first_id_at(at - interval '1 minute');
  -- Limits how many neighbours are checked. Only a wallet with thousands of movements per second has more in a minute,
  -- and its out-of-order neighbours are closer together.
  most_near constant bigint := 20000;
  -- The boundary is above `below` and at most `above`.
  below bigint;
  above bigint;
  middle bigint;
  movement record;
  found_number bigint;
  later_number bigint;
begin
  if at > month_start then
    -- The environment is in each order: see docs/database.md, Order behind row security.
    select (
      select e.wallet_version - 1 from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next
      order by e.environment, e.wallet_version limit 1
    ), (
      select e.wallet_version + 1 from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next
      order by e.environment desc, e.wallet_version desc limit 1
    ) into below, above;
    while above - below > 1 loop
      middle := (below + above) / 2;
      select e.wallet_version as number, e.transfer_id into movement
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next and e.wallet_version >= middle
      order by e.environment, e.wallet_version limit 1;
      if movement.transfer_id >= first_wanted then
        found_number := movement.number;
        above := middle;
      else
        below := movement.number;
      end if;
    end loop;
    -- Near the boundary movements can be out of order: take the lowest number whose instant is late enough.
    for movement in
      select e.wallet_version as number, e.transfer_id
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.transfer_id >= first_of_month and e.transfer_id < first_of_next
        and e.wallet_version < above and e.wallet_version >= above - most_near
      order by e.environment desc, e.wallet_version desc
    loop
      exit when movement.transfer_id < first_near;
      if movement.transfer_id >= first_wanted then
        found_number := movement.number;
      end if;
    end loop;
    first_wanted := first_of_next;
  end if;
  select e.wallet_version into later_number
  from kelpie.ledger_entries e
  where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
    and e.transfer_id >= first_wanted
  order by e.environment, e.wallet_version limit 1;
  -- Sums of the archive are of one month of London each, so they are wholly before the instant or after it.
  return least(found_number, later_number, (
    select min(c.first_version) from kelpie.carried_entries c
    where c.partner_id = of_partner and c.environment = of_environment and c.account = 'wallet'
      and c.transfer_id >= kelpie.first_id_at(at)
  ));
end;
$$;
