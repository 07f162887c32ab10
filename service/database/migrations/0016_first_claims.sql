-- When an order was first claimed: its payments in the bank's list are not older. Null for orders from before this column,
-- whose whole list is searched.

alter table kelpie.idempotency_keys add column claimed_at timestamptz;
