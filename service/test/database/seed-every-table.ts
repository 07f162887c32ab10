import type { Client } from 'pg';

/**
 * At least one row a partner and environment in every table that holds rows of partners. A new table is added here; a
 * test finds it missing otherwise. Run as a superuser: what the service itself may write is not the question here.
 */
export async function seedEveryTable(client: Client, partnerIds: readonly string[]): Promise<void> {
  for (const [index, partnerId] of partnerIds.entries()) {
    await client.query(
      `insert into kelpie.partners (id, slug, name, status, created_at)
       values ($1, 'partner-' || $2::int, 'Partner ' || $2::int, 'active', '2026-11-15')`,
      [partnerId, index],
    );
    await client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       values ($1, 'sandbox', '2026-11-15', 'simulated', null, null),
         ($1, 'live', '2026-11-15', 'provider_production', 'customer', 'wallet')`,
      [partnerId],
    );
    await client.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'sandbox'), ($1, 'live')`, [
      partnerId,
    ]);
    await seedPerson(client, partnerId);
    await client.query(
      `insert into kelpie.asked_bank_answers (partner_id, answer, times, asked_at) values ($1, 'lost', 1, now())`,
      [partnerId],
    );
    await client.query(
      `insert into kelpie.verifications (id, partner_id, state, started_at, changed_at, asked_at)
       values ('seed-' || $1::text, $1::text::uuid, 'in_review', now(), now(), now())`,
      [partnerId],
    );
    await client.query(
      `with block as (
         insert into kelpie.payment_blocks (id, cause, partner_id, reason, since, by)
         values (gen_random_uuid(), 'frozen', $1, 'seed', now(), 'seed') returning *
       )
       insert into kelpie.payment_block_history (block_id, what, cause, partner_id, reason, at, by)
       select id, 'blocked', cause, partner_id, reason, since, by from block`,
      [partnerId],
    );
    await seedBilling(client, partnerId);
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    for (const environment of ['sandbox', 'live']) {
      await client.query(
        `select kelpie.post_transfers(
           array[t, t], array[1, 2]::smallint[], array[$1, $1]::uuid[], array[$2, $2]::kelpie.environment[],
           array['bank_wallet', 'wallet']::kelpie.ledger_account[], array[5, -5], array['sandbox.float', 'sandbox.float'], array[t, t]
         ) from (select kelpie.first_id_at(now()) as first) f
         cross join lateral (select overlay(f.first::text placing substr(gen_random_uuid()::text, 20) from 20)::uuid) as id (t)`,
        [partnerId, environment],
      );
      await client.query(
        `insert into kelpie.payout_refunds (payout_id, partner_id, environment, transfer_id)
         values (gen_random_uuid(), $1, $2, gen_random_uuid())`,
        [partnerId, environment],
      );
      await client.query(
        `insert into kelpie.debts (partner_id, environment, owed_micro_usdc, changed_at) values ($1, $2, 0, now())`,
        [partnerId, environment],
      );
      await seedFloat(client, { partnerId, environment });
      await seedPayout(client, { partnerId, environment });
      await seedLimits(client, { partnerId, environment });
      await seedDeposit(client, { partnerId, environment });
      await seedReconciliation(client, { partnerId, environment });
      await seedArchive(client, { partnerId, environment });
      await seedEvent(client, { partnerId, environment });
      await seedWebhook(client, { partnerId, environment });
    }
  }
}

/** An event, and one that has no number yet. */
async function seedEvent(client: Client, of: { partnerId: string; environment: string }): Promise<void> {
  await client.query(
    `with unnumbered as (
       insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
       values ($1, $2, 'payout.completed', gen_random_uuid(), 1, now())
     ), counted as (
       insert into kelpie.event_counters (partner_id, environment, last_sequence) values ($1, $2, 1)
     )
     insert into kelpie.events (id, partner_id, environment, sequence, type, subject_id, version, at)
     values (kelpie.new_id_at(now()), $1, $2, 1, 'payout.processing', gen_random_uuid(), 1, now())`,
    [of.partnerId, of.environment],
  );
}

/** An address of the partner's, and an attempt to send an event there. */
async function seedWebhook(client: Client, of: { partnerId: string; environment: string }): Promise<void> {
  await client.query(
    `with endpoint as (
       insert into kelpie.webhook_endpoints (id, partner_id, environment, place, url, secret_encrypted, created_at)
       values (gen_random_uuid(), $1, $2, 1, 'https://receiver.invalid', '', now()) returning id
     ), delivery as (
       insert into kelpie.webhook_deliveries (
         event_id, endpoint_id, partner_id, environment, sequence, subject_id, state, created_at, due_at, retry_until
       )
       select kelpie.new_id_at(now()), id, $1, $2, 1, gen_random_uuid(), 'pending', now(), now(), now() from endpoint
     )
     insert into kelpie.webhook_attempts (
       id, event_id, endpoint_id, partner_id, environment, number, at, latency_ms, failure
     )
     select kelpie.new_id_at(now()), gen_random_uuid(), id, $1, $2, 1, now(), 1, 'timeout' from endpoint`,
    [of.partnerId, of.environment],
  );
}

/** What the house has put into the partner's bank wallet. */
async function seedFloat(client: Client, of: { partnerId: string; environment: string }): Promise<void> {
  await client.query(
    `with sums as (
       insert into kelpie.house_sums (partner_id, environment, account, sum_micro_usdc) values ($1, $2, 'house_float', -1)
     ), changes as (
       insert into kelpie.house_changes (partner_id, environment, account, amount, on_day) values ($1, $2, 'fx', 1, '2026-11-15')
     )
     insert into kelpie.float_moves (id, partner_id, environment, kind, amount_micro_usdc, state, created_at, transfer_ids)
     values (gen_random_uuid(), $1, $2, 'top_up', 1, 'open', now(), array[gen_random_uuid()])`,
    [of.partnerId, of.environment],
  );
}

/** A person who has signed in, and was asked to confirm a payout. */
async function seedPerson(client: Client, partnerId: string): Promise<void> {
  await client.query(
    `with person as (
       insert into kelpie.members (partner_id, email, role, created_at) values ($1, 'ada@seed.test', 'admin', now())
       returning partner_id, email
     ), session as (
       insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
       values (gen_random_uuid(), $1, 'ada@seed.test', sha256(convert_to($1::text, 'utf8')), now(), now())
       returning id, partner_id
     ), passkey as (
       insert into kelpie.passkeys (
         id, partner_id, email, name, credential_id, public_key, counter, transports, created_at
       )
       select gen_random_uuid(), partner_id, email, 'Laptop', sha256(convert_to($1::text, 'utf8')), 'seed', 0, '{}', now()
       from person
     ), challenge as (
       insert into kelpie.passkey_challenges (challenge, partner_id, session_id, purpose, created_at)
       select sha256(convert_to(id::text, 'utf8')), partner_id, id, 'sign_in', now() from session
     )
     insert into kelpie.payout_confirmations (id, session_id, partner_id, email_hmac, order_hmac, code_hmac, created_at)
     select gen_random_uuid(), id, partner_id, sha256('email'), sha256('order'), sha256('code'), now() from session`,
    [partnerId],
  );
}

/** An invoice and all that hangs on one. */
async function seedBilling(client: Client, partnerId: string): Promise<void> {
  await client.query(
    `with books as (
       insert into kelpie.closed_books (partner_id, closed_until) values ($1, '2026-11-01')
     ), charge as (
       insert into kelpie.single_charges (partner_id, kind, occasion, transfer_id, at, by)
       values ($1, 'monthly_account', '2026-11', gen_random_uuid(), now(), 'seed')
     ), change as (
       insert into kelpie.price_plan_changes (partner_id, environment, number, at, from_plan, to_plan, by)
       select $1, environment, 1, now(), 'standard-1', 'standard-1', 'seed'
       from unnest('{sandbox, live}'::kelpie.environment[]) environment
     ), counted as (
       update kelpie.invoice_counter set last_number = last_number + 1 returning last_number
     ), invoice as (
       insert into kelpie.invoices (
         id, partner_id, number, period, begins_at, ends_at, status, total_pence, carried_in_pence, carried_out_pence,
         issued_at, due_at, billed_to_name
       )
       select gen_random_uuid(), $1, last_number, '2026-11', '2026-11-01', '2026-12-01', 'issued', 1500, 0, 0, '2026-12-01',
         '2026-12-15', 'Seed Ltd'
       from counted returning id, partner_id
     )
     insert into kelpie.invoice_lines (
       invoice_id, partner_id, kind, place, description, quantity, unit_price_pence, amount_pence, items
     )
     select id, partner_id, 'monthly_account', 1, 'Monthly account', 1, 1500, 1500, 1 from invoice`,
    [partnerId],
  );
  await client.query(
    `insert into kelpie.invoice_payments (invoice_id, partner_id, bank_reference, amount_pence, received_on, transfer_id, at, by)
     select id, partner_id, 'seed ' || id, 500, '2026-12-03', gen_random_uuid(), now(), 'seed'
     from kelpie.invoices where partner_id = $1`,
    [partnerId],
  );
}

/** A payout and all that hangs on one. */
async function seedPayout(client: Client, { partnerId, environment }: { partnerId: string; environment: string }) {
  const values = [partnerId, environment];
  await client.query(
    `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at)
     values (gen_random_uuid(), $1::text::uuid, $2::text::kelpie.environment, 'kp_' || $2::text || '_0a1b2c3d',
       sha256(convert_to($1::text || $2::text, 'utf8')), now())`,
    values,
  );
  await client.query(
    `with made as (
       insert into kelpie.payouts (
         id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
         bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
         price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by, updated_at
       )
       select overlay(kelpie.first_id_at(now())::text placing substr(gen_random_uuid()::text, 20) from 20)::uuid, $1,
         $2::kelpie.environment,
         (case $2::kelpie.environment when 'live' then 'provider_production' else 'simulated' end)::kelpie.rail, 'sending', 1, 1, 'seeded-key', gen_random_uuid(), 1, now(), 'Seed', 100, 100,
         51, 1920000, 790000, 'standard-1', 'Seed', '0000', '\\x00', sha256('seed'), 'api', 'seed', now()
       returning *
     ), key as (
       insert into kelpie.idempotency_keys (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
       select order_id, partner_id, environment, idempotency_key, id, '\\x00', now() from made
     ), history as (
       insert into kelpie.payout_history (payout_id, number, partner_id, environment, at, state, what, by, attempt, transfer_ids)
       select id, 1, partner_id, environment, now(), state, 'created', 'seed', 1, '{}' from made
     ), open as (
       insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
       select id, partner_id, environment, now(), now() from made
     ), recipient as (
       insert into kelpie.bank_recipients (partner_id, environment, account_index, bank_recipient_id, registered_at)
       select partner_id, environment, account_index, 'seed', now() from made
     ), known as (
       insert into kelpie.known_recipients (partner_id, environment, account_index, id_encrypted, registered_at)
       select partner_id, environment, account_index, '\\x00', now() from made
     ), trouble as (
       insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
       select gen_random_uuid(), partner_id, environment, id, 'seed', 'seed', now() from made
     ), event as (
       insert into kelpie.security_events (id, partner_id, environment, action, status, by)
       select id, partner_id, environment, 'key.create', 201, 'seed' from made
     ), page as (
       insert into kelpie.activity_pages (id, partner_id, size, entries) select id, partner_id, 1, '[]' from made
     )
     insert into kelpie.activity (id, partner_id, environment, action, status, by)
     select id, partner_id, environment, 'payout.create', 201, 'seed' from made`,
    values,
  );
}

/** Daily limits, and what was spent of them. */
async function seedLimits(client: Client, { partnerId, environment }: { partnerId: string; environment: string }) {
  await client.query(
    `with target as (select $1::text::uuid as partner_id, $2::text::kelpie.environment as environment), limits as (
       insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
       select partner_id, environment, 5000000, 2000000, 5000000 from target
     ), spending as (
       insert into kelpie.daily_spending (partner_id, environment, on_day, subject, spent_pence, limit_pence)
       select partner_id, environment, '2026-11-15', '', 0, 5000000 from target
     ), rules as (
       insert into kelpie.approval_rules (partner_id, environment, above_pence, new_payee, api_key_ids)
       select partner_id, environment, 500000, false, '{}' from target
     ), request as (
       insert into kelpie.payout_requests (
         id, partner_id, environment, order_id, idempotency_key, fingerprint, digest, state, reasons, amount_pence,
         recipient_name, account_last4, recipient_encrypted, account_index, requested_via, caller_id, requested_by, requester,
         expires_at
       )
       select kelpie.new_id_at(now()), partner_id, environment, gen_random_uuid(), 'seed-key', sha256('seed'), sha256('seed'),
         'open', '{amount}', 600000, 'Ada Byron', '5678', 'seed', sha256('seed'), 'api', gen_random_uuid(),
         'kp_live_00000000', null, now() + interval '72 hours'
       from target
     ), paid as (
       insert into kelpie.paid_accounts (partner_id, environment, account_index)
       select partner_id, environment, sha256('seed') from target
     )
     insert into kelpie.volume_alerts (partner_id, environment, on_day, notified_at)
     select partner_id, environment, '2026-11-15', now() from target`,
    [partnerId, environment],
  );
}

/** A deposit and all that hangs on one. */
export async function seedDeposit(
  client: Client,
  { partnerId, environment }: { partnerId: string; environment: string },
) {
  await client.query(
    `with target as (
       select $1::text::uuid as partner_id, $2::text::kelpie.environment as environment, gen_random_uuid() as id
     ), source as (
       insert into kelpie.funding_sources (
         id, partner_id, environment, method, source_id, chain, address, opened_at, due_at, changed_at
       )
       select id, partner_id, environment, 'usdc', 'seed-' || id, 'base', '0x0', now(), now(), now() from target
     ), alert as (
       insert into kelpie.wallet_alerts (partner_id, environment, threshold_micro_usdc)
       select partner_id, environment, 1 from target
     ), problem as (
       insert into kelpie.payout_problems (payout_id, kind, partner_id, environment, at)
       select id, 'failed', partner_id, environment, now() from target
     ), made as (
       insert into kelpie.deposits (
         id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, updated_at
       )
       select id, partner_id, environment, 'usdc', 'seed-' || id, 'pending', 1, 'seed', now() from target
       returning id, partner_id, environment
     )
     insert into kelpie.deposit_history (deposit_id, number, partner_id, environment, at, state, what, bank_state)
     select id, 1, partner_id, environment, now(), 'pending', 'seen', 'seed' from made`,
    [partnerId, environment],
  );
}

/** What stays of a month that has left. */
async function seedArchive(
  client: Client,
  { partnerId, environment }: { partnerId: string; environment: string },
): Promise<void> {
  await client.query(
    `insert into kelpie.archived_months (month, state, name, began_at) values ('2001-01-01', 'writing', '2001-01-00000000', now())
     on conflict do nothing`,
  );
  await client.query(
    `insert into kelpie.carried_entries (
       month, partner_id, environment, account, reason, period, amount, entries, transfer_id, cause_id
     )
     values ('2001-01-01', $1, $2, 'held', 'payout.hold', '2001-01', -1, 1, gen_random_uuid(), gen_random_uuid())`,
    [partnerId, environment],
  );
  await client.query(
    `insert into kelpie.archived_statements (
       month, partner_id, environment, london_month, began_at, ended_at, first_number, next_number, opening_balance,
       closing_balance, held_after, movements, moved
     )
     values ('2001-01-01', $1, $2, '2001-01-01', now(), now(), 1, 1, 0, 0, 0, 0, 0)`,
    [partnerId, environment],
  );
}

/** A run that found something. */
async function seedReconciliation(
  client: Client,
  { partnerId, environment }: { partnerId: string; environment: string },
): Promise<void> {
  await client.query(
    `with run as (
       insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at) values (gen_random_uuid(), 'seed', now(), now())
       returning id
     ), target as (
       insert into kelpie.reconciled_environments (
         run_id, partner_id, environment, transfers, deposits, in_flight, differences, known, finished_at
       )
       select id, $1::text::uuid, $2::text::kelpie.environment, 0, 0, 0, 1, 0, now() from run
       returning run_id, partner_id, environment
     ), found as (
       insert into kelpie.cases (
         id, partner_id, environment, kind, subject, detail, opened_at, seen, last_run_id, last_seen_at
       )
       select gen_random_uuid(), partner_id, environment, 'wallet_balance', 'seed', 'seed', now(), 1, run_id, now() from target
       returning id, partner_id, environment
     )
     insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail)
     select id, 1, partner_id, environment, now(), 'opened', 'seed', 'seed' from found`,
    [partnerId, environment],
  );
  await client.query(
    `insert into kelpie.reconciliation_progress (partner_id, environment, run_id, attempt_id, state, saved_at)
     select partner_id, environment, run_id, gen_random_uuid(), '{}', now() from kelpie.reconciled_environments
     where partner_id = $1 and environment = $2`,
    [partnerId, environment],
  );
  await client.query(
    `insert into kelpie.bank_wallet_sums (partner_id, environment, sum_until, micro_usdc, summed_at)
     values ($1, $2, now(), 0, now())`,
    [partnerId, environment],
  );
  await client.query(
    'insert into kelpie.late_return_searches (partner_id, environment, searched_until) values ($1, $2, now())',
    [partnerId, environment],
  );
}
