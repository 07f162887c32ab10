-- What stops payments, and what stopped them before. docs/payouts.md lists each cause, what it answers and who lifts it.

-- One row per block in force. It covers a rail with all its partners, or one partner.
create table kelpie.payment_blocks (
  id uuid primary key,
  cause text not null,
  rail kelpie.rail,
  partner_id uuid references kelpie.partners (id),
  -- Null covers both.
  environment kelpie.environment,
  reason text not null check (char_length(reason) between 1 and 500),
  since timestamptz not null,
  -- An operator, or the part of the system that found the cause.
  by text not null check (char_length(by) between 1 and 80),
  constraint payment_blocks_scope_check check (
    case when cause in ('rail_paused', 'recovery') then rail is not null and partner_id is null and environment is null
      else rail is null and partner_id is not null end
  ),
  constraint payment_blocks_cause_check check (
    cause in ('suspended', 'rail_paused', 'partner_paused', 'debt', 'screening', 'verification', 'frozen', 'recovery')
  )
);
comment on table kelpie.payment_blocks is '@bounded @shared @both-environments One row per block in force; most partners have none.';
-- A cause blocks the same payments once.
create unique index payment_blocks_of_rail on kelpie.payment_blocks (rail, cause) where rail is not null;
create unique index payment_blocks_of_partner on kelpie.payment_blocks (partner_id, cause, environment) nulls not distinct
  where partner_id is not null;
select kelpie.protect_partner_table('payment_blocks', scope => 'partner', service_may => 'select');
create policy payouts_all on kelpie.payment_blocks to kelpie_payouts using (true) with check (true);
grant select on kelpie.payment_blocks to kelpie_service, kelpie_reader;
-- Only through functions: kelpie.add_payment_block and kelpie.lift_payment_block.
grant select, insert, delete on kelpie.payment_blocks to kelpie_payouts;

-- Blocks that began and ended.
create table kelpie.payment_block_history (
  id bigint primary key generated always as identity,
  block_id uuid not null,
  -- 'repeated': the cause came up again while its block was in force.
  what text not null check (what in ('blocked', 'repeated', 'lifted')),
  cause text not null,
  rail kelpie.rail,
  partner_id uuid references kelpie.partners (id),
  environment kelpie.environment,
  -- By how much the bank debited more or less than expected. Null for other causes.
  difference_micro_usdc bigint check (difference_micro_usdc >= 0),
  reason text not null check (char_length(reason) between 1 and 500),
  at timestamptz not null,
  by text not null check (char_length(by) between 1 and 80)
);
comment on table kelpie.payment_block_history is '@bounded @shared @both-environments Two rows for each block, and one for each odd difference.';
create index payment_block_history_differences on kelpie.payment_block_history (environment, at)
  where difference_micro_usdc is not null;
select kelpie.protect_partner_table('payment_block_history', scope => 'partner', service_may => 'select');
select kelpie.make_insert_only('payment_block_history');
create policy payouts_all on kelpie.payment_block_history to kelpie_payouts using (true) with check (true);
grant select on kelpie.payment_block_history to kelpie_service, kelpie_reader;
grant select, insert on kelpie.payment_block_history to kelpie_payouts;

-- A partner's blocks follow its status and its screening. Their reason is the operator's, from the audit log.
grant select (at, detail) on kelpie.audit_log to kelpie_payouts;
grant select (screening) on kelpie.partners to kelpie_operator;
create trigger blocks_in_step after insert or update of status, screening on kelpie.partners
  for each row execute function kelpie.keep_partner_blocks();

-- What was in force before. The owner sees no partner's rows, so this is done as the role that may.
grant select on kelpie.rail_pauses to kelpie_payouts;
set local role kelpie_payouts;
insert into kelpie.payment_blocks (id, cause, rail, reason, since, by)
select gen_random_uuid(), 'rail_paused', p.rail, p.reason, p.since, 'kelpie' from kelpie.rail_pauses p;
insert into kelpie.payment_blocks (id, cause, partner_id, reason, since, by)
select gen_random_uuid(), 'suspended', p.id, 'suspended', now(), 'kelpie' from kelpie.partners p where p.status = 'suspended';
insert into kelpie.payment_blocks (id, cause, partner_id, environment, reason, since, by)
select gen_random_uuid(), 'screening', p.id, 'live', p.screening, now(), 'kelpie'
from kelpie.partners p where p.screening in ('review', 'blocked');
insert into kelpie.payment_block_history (block_id, what, cause, rail, partner_id, environment, reason, at, by)
select b.id, 'blocked', b.cause, b.rail, b.partner_id, b.environment, b.reason, b.since, b.by from kelpie.payment_blocks b;
reset role;

-- Functions of the version before read this name until the new ones are applied, a moment later.
drop table kelpie.rail_pauses; -- squawk-ignore ban-drop-table
create view kelpie.rail_pauses with (security_invoker) as
  select b.rail, b.since, b.reason from kelpie.payment_blocks b where b.rail is not null;
grant select on kelpie.rail_pauses to kelpie_service, kelpie_payouts, kelpie_reader;
