-- A new sandbox begins on the simulated rail, and waits there to be connected to the sandbox bank: a job does it, and tries
-- again until it can. Payouts that were made before stay on the rail that they were made on.

alter table kelpie.partner_environments
  -- Whether a job shall connect it. Only a sandbox that was opened for a partner asks for it.
  add column wants_bank boolean not null default false;
alter table kelpie.partner_environments
  add constraint partner_environments_wants_bank_check check (not wants_bank or rail = 'simulated') not valid;
-- squawk-ignore require-concurrent-index-creation -- a small table, and only new partners wait for it
create index partner_environments_waiting on kelpie.partner_environments (partner_id) where wants_bank;
grant update (rail, bank_customer_id, bank_wallet_id, wants_bank) on kelpie.partner_environments to kelpie_service;
-- And that is all it may change there: to whose wallet a side points that pays already is nobody's to change in passing.
create policy only_waiting on kelpie.partner_environments as restrictive for update to kelpie_service
  using (environment = 'sandbox' and wants_bank)
  with check (environment = 'sandbox' and rail = 'provider_sandbox' and not wants_bank);

grant create on schema kelpie to kelpie_payouts;

-- The partners whose sandbox waits, a page at a time. No more than who they are: the rest is read as theirs.
create function kelpie.list_sandboxes_to_connect(after_partner uuid, at_most integer)
  returns table (partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id from kelpie.partner_environments e
  where e.wants_bank and e.partner_id > after_partner
  order by e.partner_id limit least(at_most, 500)
$$;
revoke all on function kelpie.list_sandboxes_to_connect(uuid, integer) from public;
grant execute on function kelpie.list_sandboxes_to_connect(uuid, integer) to kelpie_service;
alter function kelpie.list_sandboxes_to_connect(uuid, integer) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;

-- The moves that a payout can make, whatever the code believes; and no payout on the simulated rail once its partner has
-- left it. An api process remembers a partner's rail for some seconds: such a payout would take money from the new wallet
-- in our books, and none at the bank.
--
-- Whoever connects a sandbox locks its wallet, then changes its rail. So the rail is read here under the same lock, and by
-- a statement of its own, which sees all that was committed before the lock was ours: either the payout is written before
-- the old wallet is closed, or it is refused. A batch has posted its holds by now, and so has the lock already; create_payout
-- posts last, and takes it here, a little earlier. Keys before wallets is the order of both, so none waits for the other.
create or replace function kelpie.refuse_illegal_move() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.state not in ('sending', 'processing', 'failed') or new.revision <> 1 then
      raise exception 'a payout does not begin as %', new.state using errcode = 'check_violation';
    end if;
    if new.rail = 'simulated' then
      if not kelpie.is_batch() then
        perform kelpie.lock_wallet(new.partner_id, new.environment);
      end if;
      if not exists (
        select from kelpie.partner_environments e
        where e.partner_id = new.partner_id and e.environment = new.environment and e.rail = 'simulated'
      ) then
        raise exception 'the partner has left this rail' using errcode = 'KP410';
      end if;
    end if;
    return new;
  end if;
  if new.revision <> old.revision + 1 then
    raise exception 'a change of a payout without its number' using errcode = 'check_violation';
  end if;
  if new.state = old.state or (old.state, new.state) in (
    ('sending', 'not_created'), ('sending', 'pending'), ('sending', 'processing'), ('sending', 'failed'),
    ('pending', 'processing'), ('pending', 'failed'), ('pending', 'cancelled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'cancelled'), ('processing', 'returned'),
    ('completed', 'returned')
  ) then
    return new;
  end if;
  raise exception 'a payout does not move from % to %', old.state, new.state using errcode = 'check_violation';
end;
$$;
