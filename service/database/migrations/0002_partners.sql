-- Partners, their two environments, their prices and their verification at the bank.

create table kelpie.partners (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9-]{2,40}$'),
  name text not null check (char_length(name) between 1 and 120),
  status text not null check (status in ('onboarding', 'active', 'suspended', 'closed')),
  created_at timestamptz not null,
  logo_url text,
  brand_color text,
  billing_email text,
  contact_email text,
  verification_status text not null default 'not_started',
  -- The bank's own word for it, and where a person continues.
  verification_provider_status text,
  verification_continue_url text,
  verification_terms_url text,
  screening text not null default 'not_screened',
  -- By how much an operator raised the partner's rate limits.
  rate_factor integer not null default 1, -- squawk-ignore prefer-bigint-over-int
  -- The partner is notified once each time its wallet falls below this; null where it does not want that.
  wallet_low_micro_usdc bigint,
  constraint partners_logo_url_check check (logo_url ~ '^https://[^[:space:]]+$' and char_length(logo_url) <= 500),
  constraint partners_brand_color_check check (brand_color ~ '^#[0-9a-f]{6}$'),
  constraint partners_emails_check check (
    billing_email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and contact_email ~ '^[^[:space:]@]+@[^[:space:]@]+$'
  ),
  constraint partners_verification_urls_check check (
    verification_continue_url ~ '^https?://[^[:space:]]+$' and verification_terms_url ~ '^https?://[^[:space:]]+$'
  ),
  constraint partners_verification_status_check check (
    verification_status in ('not_started', 'action_required', 'in_review', 'approved', 'rejected')
  ),
  constraint partners_screening_check check (screening in ('not_screened', 'clear', 'review', 'blocked')),
  constraint rate_factor_in_range check (rate_factor between 1 and 1000),
  constraint partners_wallet_low_check check (wallet_low_micro_usdc >= 0)
);
comment on table kelpie.partners is '@bounded One row per partner: a business that pays out through Kelpie.';
select kelpie.protect_partner_table('partners', scope => 'partner', partner_column => 'id');
-- A new partner starts unverified. Only the verification functions and operators change that.
create policy only_new on kelpie.partners as restrictive for insert to kelpie_service
  with check (
    status = 'onboarding' and verification_status = 'not_started' and verification_provider_status is null
    and verification_continue_url is null and verification_terms_url is null and screening = 'not_screened'
  );
create policy access_see on kelpie.partners for select to kelpie_access using (true);
create policy payouts_see on kelpie.partners for select to kelpie_payouts using (true);
create policy payouts_verify on kelpie.partners for update to kelpie_payouts using (true) with check (true);
create policy operator_see on kelpie.partners for select to kelpie_operator using (true);
grant select, insert on kelpie.partners to kelpie_service;
-- The service changes what a partner says about itself, and nothing that others decide about it.
grant update (logo_url, brand_color, billing_email, contact_email, wallet_low_micro_usdc) on kelpie.partners to kelpie_service;
grant select on kelpie.partners to kelpie_reader;
grant select (id, slug, name, status, logo_url, brand_color, rate_factor) on kelpie.partners to kelpie_access;
grant select (id, status, verification_status, wallet_low_micro_usdc, rate_factor) on kelpie.partners to kelpie_payouts;
grant update (
  status, verification_status, verification_provider_status, verification_continue_url, verification_terms_url, rate_factor
) on kelpie.partners to kelpie_payouts;
grant select (id, slug, name, status, verification_status, rate_factor) on kelpie.partners to kelpie_operator;

-- What a partner pays. A plan never changes; a partner gets another one.
create table kelpie.price_plans (
  id text primary key check (id ~ '^[a-z0-9-]{1,40}$'),
  fixed_pence bigint not null check (fixed_pence >= 0),
  basis_points bigint not null check (basis_points between 0 and 10000),
  bank_fixed_pence bigint not null check (bank_fixed_pence between 0 and fixed_pence),
  bank_basis_points bigint not null check (bank_basis_points between 0 and basis_points),
  created_at timestamptz not null,
  monthly_pence bigint not null default 1500,
  verification_pence bigint not null default 3900,
  network_markup_basis_points bigint not null default 1000,
  exception_markup_basis_points bigint not null default 2000,
  constraint price_plans_monthly_pence_check check (monthly_pence >= 0),
  constraint price_plans_markups_check check (
    verification_pence >= 0 and network_markup_basis_points between 0 and 100000
    and exception_markup_basis_points between 0 and 100000
  )
);
comment on table kelpie.price_plans is '@bounded @shared A few rows: every price we have ever had.';
grant select on kelpie.price_plans to kelpie_service, kelpie_reader;
grant select, insert on kelpie.price_plans to kelpie_payouts;
create trigger never_changed before update or delete on kelpie.price_plans
  for each row execute function kelpie.refuse_change();
insert into kelpie.price_plans (id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, created_at)
values ('standard-1', 99, 100, 50, 50, '2026-11-15');

-- Everything a partner has in an environment refers to this row by both columns, so a reference from one partner or
-- environment to another is impossible.
create table kelpie.partner_environments (
  partner_id uuid not null references kelpie.partners (id),
  environment kelpie.environment not null,
  created_at timestamptz not null,
  price_plan text not null default 'standard-1' references kelpie.price_plans (id),
  rail kelpie.rail not null default 'simulated',
  -- The partner at the bank, and its wallet there.
  bank_customer_id text,
  bank_wallet_id text,
  -- Whether a job shall connect it to the sandbox bank.
  wants_bank boolean not null default false,
  primary key (partner_id, environment),
  constraint partner_environments_rail_check check (
    case rail
      when 'simulated' then environment = 'sandbox'
      when 'provider_sandbox' then environment = 'sandbox' and bank_customer_id is not null and bank_wallet_id is not null
      else environment = 'live' and bank_customer_id is not null and bank_wallet_id is not null
    end
  ),
  constraint partner_environments_wants_bank_check check (not wants_bank or rail = 'simulated')
);
comment on table kelpie.partner_environments is '@bounded At most two rows per partner: sandbox and live.';
create index partner_environments_waiting on kelpie.partner_environments (partner_id) where wants_bank;
select kelpie.protect_partner_table('partner_environments');
-- The service opens a simulated sandbox and connects one that waits. It never redirects an environment that pays already.
create policy only_sandbox on kelpie.partner_environments as restrictive for insert to kelpie_service
  with check (environment = 'sandbox' and rail = 'simulated');
create policy only_waiting on kelpie.partner_environments as restrictive for update to kelpie_service
  using (environment = 'sandbox' and wants_bank)
  with check (environment = 'sandbox' and rail = 'provider_sandbox' and not wants_bank);
create policy access_see on kelpie.partner_environments for select to kelpie_access using (true);
create policy payouts_see on kelpie.partner_environments for select to kelpie_payouts using (true);
create policy payouts_open on kelpie.partner_environments for insert to kelpie_payouts
  with check (environment = 'live' and rail = 'provider_production');
create policy payouts_price on kelpie.partner_environments for update to kelpie_payouts using (true) with check (true);
grant select, insert on kelpie.partner_environments to kelpie_service;
grant update (rail, bank_customer_id, bank_wallet_id, wants_bank) on kelpie.partner_environments to kelpie_service;
grant select on kelpie.partner_environments to kelpie_reader;
grant select (partner_id, environment) on kelpie.partner_environments to kelpie_access;
grant select, insert (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id), update (price_plan)
  on kelpie.partner_environments to kelpie_payouts;

-- Which plan a partner had when: a change counts from the instant it is made.
create table kelpie.price_plan_changes (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Orders two changes at one instant.
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  at timestamptz not null,
  from_plan text not null references kelpie.price_plans (id),
  to_plan text not null references kelpie.price_plans (id),
  by text not null,
  primary key (partner_id, environment, number),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.price_plan_changes is '@bounded One row for each time an operator gave a partner another plan.';
select kelpie.protect_partner_table('price_plan_changes', service_may => 'select');
select kelpie.make_insert_only('price_plan_changes');
create policy payouts_all on kelpie.price_plan_changes to kelpie_payouts using (true) with check (true);
grant select on kelpie.price_plan_changes to kelpie_service, kelpie_reader;
grant select, insert on kelpie.price_plan_changes to kelpie_payouts;

-- A rail on which no payout may be created for now, and why. An operator lifts it.
create table kelpie.rail_pauses (
  rail kelpie.rail primary key,
  since timestamptz not null,
  reason text not null
);
comment on table kelpie.rail_pauses is '@bounded @shared At most one row per rail.';
grant select, insert on kelpie.rail_pauses to kelpie_service, kelpie_payouts;
grant select on kelpie.rail_pauses to kelpie_reader;

-- What the bank says about a business before it may pay with real money. The service hands over what the bank said; the
-- functions that write here check what may follow from it.
create table kelpie.verifications (
  -- The bank's own id: one belongs to one partner, for ever.
  id text primary key check (char_length(id) between 1 and 200),
  partner_id uuid not null references kelpie.partners (id),
  state text not null check (state in ('action_required', 'in_review', 'approved', 'rejected')),
  -- The partner at the bank, once approved.
  customer_id text unique check (char_length(customer_id) between 1 and 200),
  started_at timestamptz not null,
  changed_at timestamptz not null,
  -- When the bank was asked for what is stored: an older answer that arrives later is ignored.
  asked_at timestamptz not null,
  -- The next poll; null once decided.
  due_at timestamptz,
  -- When the last webhook arrived.
  woken_at timestamptz,
  -- Since when its wallet is being opened: the bank's idempotency key for that is derived from it.
  opening_since timestamptz,
  -- What its admins were last notified of.
  notified text check (notified in ('approved', 'rejected', 'more_needed')),
  constraint verifications_customer_check check ((state = 'approved') = (customer_id is not null))
);
comment on table kelpie.verifications is '@bounded A few rows per partner: a rejected one can be started again.';
-- A partner has one that is not rejected.
create unique index verifications_of_partner on kelpie.verifications (partner_id) where state <> 'rejected';
create index verifications_by_partner on kelpie.verifications (partner_id);
create index verifications_due on kelpie.verifications (due_at) where due_at is not null;
select kelpie.protect_partner_table('verifications', scope => 'partner');
create policy payouts_all on kelpie.verifications to kelpie_payouts using (true) with check (true);
grant select, update (due_at, opening_since) on kelpie.verifications to kelpie_service;
grant select on kelpie.verifications to kelpie_reader;
grant select, insert, update on kelpie.verifications to kelpie_payouts;
