-- Business verification: what the bank says of a partner before it may pay with real money, and how live is opened once it
-- says yes. The service's role writes none of that itself: it hands over what the bank said, and the functions here check
-- what may follow from it.

create table kelpie.verifications (
  -- The bank's own id of it: one belongs to one partner, for ever.
  id text primary key check (char_length(id) between 1 and 200),
  partner_id uuid not null references kelpie.partners (id),
  state text not null check (state in ('action_required', 'in_review', 'approved', 'rejected')),
  -- Who the partner is at the bank, once it has said yes.
  customer_id text unique check (char_length(customer_id) between 1 and 200),
  started_at timestamptz not null,
  changed_at timestamptz not null,
  -- When the bank was asked for what was written last: an older answer that comes later says nothing new.
  asked_at timestamptz not null,
  -- When to look again; null where it is decided.
  due_at timestamptz,
  -- When the bank last told of news.
  hinted_at timestamptz,
  -- Since when its wallet is being opened: the key by which the bank knows that request again hangs on it.
  opening_since timestamptz,
  -- What its admins were told last.
  told text check (told in ('approved', 'rejected', 'more_needed')),
  constraint verifications_customer_check check ((state = 'approved') = (customer_id is not null))
);
comment on table kelpie.verifications is '@bounded A few rows a partner: one that was refused can be started again.';
-- Besides those that were refused, a partner has one.
create unique index verifications_of_partner on kelpie.verifications (partner_id) where state <> 'rejected';
create index verifications_by_partner on kelpie.verifications (partner_id);
create index verifications_due on kelpie.verifications (due_at) where due_at is not null;
alter table kelpie.verifications enable row level security, force row level security;
create policy service_own on kelpie.verifications to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.verifications for select to kelpie_reader using (true);
create policy payouts_all on kelpie.verifications to kelpie_payouts using (true) with check (true);
grant select, update (due_at, opening_since) on kelpie.verifications to kelpie_service;
grant select on kelpie.verifications to kelpie_reader;
grant select, insert, update on kelpie.verifications to kelpie_payouts;

-- A new partner begins before its verification, and without a live side; these are not the service's to give.
create policy only_new on kelpie.partners as restrictive for insert to kelpie_service
  with check (
    status = 'onboarding' and verification_status = 'not_started' and verification_provider_status is null
    and verification_continue_url is null and verification_terms_url is null and screening = 'not_screened'
  );
create policy only_sandbox on kelpie.partner_environments as restrictive for insert to kelpie_service
  with check (environment = 'sandbox' and rail = 'simulated');

create policy payouts_verify on kelpie.partners for update to kelpie_payouts using (true) with check (true);
grant select (verification_status) on kelpie.partners to kelpie_payouts;
grant update (
  status, verification_status, verification_provider_status, verification_continue_url, verification_terms_url
) on kelpie.partners to kelpie_payouts;
create policy payouts_open on kelpie.partner_environments for insert to kelpie_payouts
  with check (environment = 'live' and rail = 'provider_production');
grant insert (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
  on kelpie.partner_environments to kelpie_payouts;
create policy payouts_open on kelpie.wallets for insert to kelpie_payouts
  with check (environment = 'live' and balance_micro_usdc = 0 and version = 0);
grant insert (partner_id, environment) on kelpie.wallets to kelpie_payouts;

grant create on schema kelpie to kelpie_payouts;

-- The transaction's partner has this verification at the bank. Says 'begun'; or 'under_way' where it has another that is
-- not refused, which stays the one that counts; or 'anothers' where it is another partner's.
create function kelpie.begin_verification(new_id text, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
begin
  -- Two admins who begin at the same moment come one after the other.
  perform from kelpie.partners p where p.id = of_partner for no key update;
  if not found then
    raise exception 'the transaction names no partner' using errcode = 'insufficient_privilege';
  end if;
  if exists (
    select from kelpie.verifications v where v.partner_id = of_partner and v.state <> 'rejected' and v.id <> new_id
  ) then
    return 'under_way';
  end if;
  insert into kelpie.verifications as v (id, partner_id, state, started_at, changed_at, asked_at, due_at)
  -- Due only later, for the case that whoever begins it is killed: news that come meanwhile must find it not due, since what
  -- is due is being looked at, and makes no job.
  values (new_id, of_partner, 'action_required', at, at, at, at + interval '1 minute')
  on conflict (id) do update set started_at = excluded.started_at, due_at = least(v.due_at, excluded.due_at)
  where v.partner_id = of_partner;
  return case when found then 'begun' else 'anothers' end;
end;
$$;
revoke all on function kelpie.begin_verification(text, timestamptz) from public;
grant execute on function kelpie.begin_verification(text, timestamptz) to kelpie_service;
alter function kelpie.begin_verification(text, timestamptz) owner to kelpie_payouts;

-- What the bank said of a verification of the transaction's partner when it was asked at `looked_at`. On a yes, the partner
-- is active and its live side open, with an empty wallet, in this very transaction. Says what its admins are to be told, or
-- null where they know. What was approved stays so: whatever comes later is for a person to decide.
create function kelpie.take_verification(
  of_id text, looked_at timestamptz, at timestamptz, next_due_at timestamptz, new_state text, asks_for_more boolean,
  new_provider_status text, new_continue_url text, new_terms_url text, new_customer_id text, new_wallet_id text
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  known record;
  decision text;
begin
  -- Whoever has looked at the same moment waits here, and then sees what this one has written.
  perform from kelpie.partners p where p.id = of_partner for no key update;
  select v.state, v.asked_at, v.started_at, v.told into known
  from kelpie.verifications v where v.id = of_id and v.partner_id = of_partner;
  if not found then
    raise exception 'not a verification of this partner' using errcode = 'insufficient_privilege';
  end if;
  if known.state = 'approved' or exists (
    select from kelpie.verifications v where v.partner_id = of_partner and v.started_at > known.started_at
  ) then
    update kelpie.verifications v set due_at = null where v.id = of_id;
    return null;
  end if;
  if looked_at < known.asked_at then
    return null;
  end if;
  decision := case
    when new_state in ('approved', 'rejected') then new_state
    when new_state = 'action_required' and (asks_for_more or known.state = 'in_review' or known.told = 'more_needed')
      then 'more_needed'
  end;
  update kelpie.verifications v
  set state = new_state,
    customer_id = case when new_state = 'approved' then new_customer_id end,
    changed_at = case when v.state = new_state then v.changed_at else at end,
    asked_at = looked_at,
    due_at = case
      -- There was news after the bank had answered: this may not be the last of it.
      when v.hinted_at > looked_at then v.hinted_at
      when new_state in ('approved', 'rejected') then null
      else next_due_at
    end,
    told = decision
  where v.id = of_id;
  update kelpie.partners p
  set verification_status = new_state,
    verification_provider_status = new_provider_status,
    verification_continue_url = new_continue_url,
    verification_terms_url = new_terms_url,
    status = case when new_state = 'approved' and p.status = 'onboarding' then 'active' else p.status end
  where p.id = of_partner;
  if new_state = 'approved' then
    insert into kelpie.partner_environments (
      partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id
    ) values (of_partner, 'live', at, 'provider_production', new_customer_id, new_wallet_id)
    -- A side that pays already keeps its customer and its wallet.
    on conflict do nothing;
    insert into kelpie.wallets (partner_id, environment) values (of_partner, 'live') on conflict do nothing;
  end if;
  return case when decision is distinct from known.told then decision end;
end;
$$;
revoke all on function kelpie.take_verification(
  text, timestamptz, timestamptz, timestamptz, text, boolean, text, text, text, text, text
) from public;
grant execute on function kelpie.take_verification(
  text, timestamptz, timestamptz, timestamptz, text, boolean, text, text, text, text, text
) to kelpie_service;
alter function kelpie.take_verification(
  text, timestamptz, timestamptz, timestamptz, text, boolean, text, text, text, text, text
) owner to kelpie_payouts;

-- The bank tells of news, and names a verification: whose it is, nobody knows yet. Says whether that makes it due: not where
-- it was, or is nobody's.
create function kelpie.hint_verification(of_id text, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  was_due_at timestamptz;
begin
  select v.due_at into was_due_at from kelpie.verifications v where v.id = of_id for no key update;
  if not found then
    return false;
  end if;
  -- Also where it is due: whoever looks at it just now may have asked the bank before the news.
  update kelpie.verifications v set hinted_at = at, due_at = least(v.due_at, at) where v.id = of_id;
  return was_due_at is null or was_due_at > at;
end;
$$;
revoke all on function kelpie.hint_verification(text, timestamptz) from public;
grant execute on function kelpie.hint_verification(text, timestamptz) to kelpie_service;
alter function kelpie.hint_verification(text, timestamptz) owner to kelpie_payouts;

-- Verifications to look at, a page at a time. No more than whose they are: the rest is read as theirs.
create function kelpie.list_due_verifications(at timestamptz, after_id text, at_most integer)
  returns table (id text, partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select v.id, v.partner_id from kelpie.verifications v
  where v.due_at <= at and v.id > after_id
  order by v.id limit least(at_most, 500)
$$;
revoke all on function kelpie.list_due_verifications(timestamptz, text, integer) from public;
grant execute on function kelpie.list_due_verifications(timestamptz, text, integer) to kelpie_service;
alter function kelpie.list_due_verifications(timestamptz, text, integer) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;
