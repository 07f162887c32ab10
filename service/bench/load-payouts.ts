import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { ledgerEvents, type Line } from '../src/ledger/index.ts';
import { payoutCost, standardPayoutPrices } from '../src/money/fees.ts';
import { usdcForPounds } from '../src/money/rates.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { createPartners } from '../test/harness/partners.ts';
import { depositForAll } from './deposits.ts';
import { idSql } from './numbered-ids.ts';

// Payouts that are over, written as the service would have left them: with keys, histories, entries and activity. Only the
// recipients can't be read: what stands in for them was never encrypted.

interface LoadOptions {
  payouts: number;
  partners: number;
  /** When they were made, in place of over the last months. */
  during?: { from: Date; until: Date };
  /** How many were written so far; after each step. */
  onProgress?: (written: number) => void;
}

const rate = 790_000n;
const priceCount = 500;
const monthsBack = 6;
/** As long as the simulated rail takes. */
const arrivalMs = 3_000;
const stepSize = 40_000;
/** As long as a recipient with a usual address is when it is encrypted, and as the digests of an order's fields. */
const encryptedBytes = 330;
const fingerprintBytes = 120;

interface Price {
  amount: bigint;
  cost: ReturnType<typeof payoutCost>;
  /** Each with its reason, in the order in which they were posted. */
  transfers: readonly { reason: string; lines: readonly Line[] }[];
}

/** What a payout of some pounds costs and how it is booked, by the same code that the service uses. */
function priceOf(number: number): Price {
  const amount = BigInt(100 + number * 97);
  const cost = payoutCost(amount, rate, standardPayoutPrices);
  const principal = usdcForPounds(amount, rate);
  const sends = cost.walletDebit;
  const transfers = [
    { reason: 'payout.hold', lines: ledgerEvents.hold({ principal, providerFee: sends - principal }) },
    { reason: 'payout.bank_accepted', lines: ledgerEvents.taken({ byBank: sends }) },
    { reason: 'payout.arrived', lines: ledgerEvents.arrived({ held: sends, byBank: sends }) },
  ];
  return { amount, cost, transfers };
}

const prices = Array.from({ length: priceCount }, (_, number) => priceOf(number));
const dearest = prices.reduce((most, { cost }) => (cost.walletDebit > most ? cost.walletDebit : most), 0n);

/** One table of what the steps have in common, on each connection. */
async function prepareConnection(client: Client, partnerIds: readonly string[]): Promise<void> {
  // For this connection alone, as a superuser: the triggers would refuse a payout that begins at its end.
  await client.query('set session_replication_role = replica');
  await client.query('set synchronous_commit = off');
  await client.query(`set work_mem = '256MB'`);
  await client.query(
    `create temp table load_partners as
     select ordinality - 1 as number, id, 'kp_sandbox_' || left(md5(id::text), 8) as key_prefix
     from unnest($1::uuid[]) with ordinality as partner (id)`,
    [partnerIds],
  );
  await client.query(
    `create temp table load_prices as
     select ordinality - 1 as number, amount, fee, provider_fee, sends
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) with ordinality
       as price (amount, fee, provider_fee, sends)`,
    [
      prices.map(({ amount }) => amount),
      prices.map(({ cost }) => cost.fee),
      prices.map(({ cost }) => cost.providerFee),
      prices.map(({ cost }) => cost.walletDebit),
    ],
  );
  const lines = prices.flatMap(({ transfers }, price) =>
    transfers.flatMap((transfer, at) =>
      transfer.lines.map((line, number) => ({
        ...line,
        price,
        transfer: at,
        number: number + 1,
        reason: transfer.reason,
      })),
    ),
  );
  await client.query(
    `create temp table load_lines as
     select * from unnest($1::bigint[], $2::int[], $3::smallint[], $4::kelpie.ledger_account[], $5::bigint[], $6::text[])
       as entry (price, transfer, line, account, amount, reason)`,
    [
      lines.map(({ price }) => price),
      lines.map(({ transfer }) => transfer),
      lines.map(({ number }) => number),
      lines.map(({ account }) => account),
      lines.map(({ amount }) => amount),
      lines.map(({ reason }) => reason),
    ],
  );
  for (const table of ['load_partners', 'load_prices', 'load_lines']) await client.query(`analyze ${table}`);
}

const randomBits = '(random() * 4611686018427000000)::bigint';

/**
 * One step, one statement, one commit: whoever breaks it off leaves a database that is whole. The numbers of the payouts
 * are $1 to $2, this connection's partners those whose number leaves $4 when divided by $3; $5 is when the first payout was
 * made, $6 how many milliseconds lie between two, and $7 bytes that stand in for what is encrypted or digested.
 */
const stepSql = `
  with numbered as (
    select i, (extract(epoch from $5::timestamptz) * 1000 + i * $6::float8)::bigint as ms,
      i % (select count(*) from load_prices) as price, i % (select count(*) from load_partners) as partner
    from generate_series($1::bigint, $2::bigint) i
    where i % (select count(*) from load_partners) % $3::bigint = $4::bigint
  ),
  loading as materialized (
    select n.i, n.price, p.id as partner_id, p.key_prefix, price.amount, price.fee, price.provider_fee, price.sends,
      to_timestamp(n.ms / 1000.0) as at, to_timestamp((n.ms + ${arrivalMs}) / 1000.0) as arrived_at,
      ${idSql('n.ms', randomBits)} as id, ${idSql('n.ms', randomBits)} as taken_id,
      ${idSql(`(n.ms + ${arrivalMs})`, randomBits)} as arrived_id, 'order-' || n.i || '-' || $5::timestamptz::date as key,
      w.balance_micro_usdc - sum(price.sends) over own as balance, w.version + row_number() over own as version
    from numbered n
    join load_partners p on p.number = n.partner
    join load_prices price on price.number = n.price
    join kelpie.wallets w on w.partner_id = p.id and w.environment = 'sandbox'
    window own as (partition by p.id order by n.i)
  ),
  ordered as materialized (
    select *, encode(substr(sha256(convert_to(partner_id || '|sandbox|' || key, 'utf8')), 1, 16), 'hex')::uuid as order_id
    from loading order by id
  ),
  payouts as (
    insert into kelpie.payouts (
      id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
      reference, bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
      price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by, bank_payment_id,
      bank_state, bank_debited_micro_usdc, updated_at, completed_at
    )
    select id, partner_id, 'sandbox', 'simulated', 'completed', 2, 1, key, order_id, 1, at, 'Order ' || i, 'Order ' || i,
      amount, fee, provider_fee, sends, ${rate}, 'standard-1', 'Ada Byron', lpad((i % 9999 + 1)::text, 4, '0'),
      substr($7::bytea, 1 + (i % 1000)::int, ${encryptedBytes}), sha256(convert_to((i % 100000)::text, 'utf8')), 'api',
      key_prefix, taken_id::text, 'simulated_arrived', sends, arrived_at, arrived_at
    from ordered
  ),
  keys as (
    insert into kelpie.idempotency_keys (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
    select order_id, partner_id, 'sandbox', key, id, substr($7::bytea, 1 + (i % 1000)::int, ${fingerprintBytes}), at
    from ordered
  ),
  histories as (
    insert into kelpie.payout_history (
      payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, transfer_ids
    )
    select o.id, change.*
    from ordered o
    cross join lateral (values
      (1, o.partner_id, 'sandbox'::kelpie.environment, o.at, 'processing'::kelpie.payout_state, 'created', o.key_prefix, 1,
        'simulated', array[o.id, o.taken_id]),
      (2, o.partner_id, 'sandbox', o.arrived_at, 'completed', 'arrived', 'bank', 1, 'simulated_arrived', array[o.arrived_id])
    ) change
  ),
  entries as (
    insert into kelpie.ledger_entries (
      transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version
    )
    select case l.transfer when 0 then o.id when 1 then o.taken_id else o.arrived_id end, l.line, o.partner_id, 'sandbox',
      l.account, l.amount, l.reason, o.id, case l.account when 'wallet' then o.balance end,
      case l.account when 'wallet' then o.version end
    from ordered o join load_lines l on l.price = o.price
  ),
  activities as (
    insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
    select id, partner_id, 'sandbox', 'payout.create', 201, key_prefix, id::text from ordered
  )
  update kelpie.wallets w set balance_micro_usdc = newest.balance, version = newest.version
  from (select partner_id, min(balance) as balance, max(version) as version from loading group by 1) newest
  where w.partner_id = newest.partner_id and w.environment = 'sandbox'`;

/** The months in the past, for which nobody has made partitions ahead. */
async function makeMonths(client: Client, from: Date): Promise<void> {
  const { rows } = await client.query<{ parent_name: string; month_start: Date }>(
    'select parent_name, month_start from kelpie.missing_month_partitions($1, $2)',
    [from, monthsBack],
  );
  for (const { parent_name: parent, month_start: month } of rows)
    await client.query('select kelpie.make_month_partition($1, $2)', [parent, month]);
}

interface Share {
  partnerIds: readonly string[];
  payouts: number;
  from: Date;
  msBetween: number;
  workers: number;
  worker: number;
}

/** One connection's share of the work: it has partners of its own, so that no two wait for a wallet. */
async function loadShare(superuserUrl: string, share: Share, wrote: (count: number) => void): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    await prepareConnection(client, share.partnerIds);
    const noise = randomBytes(2_000);
    for (let first = 0; first < share.payouts; first += stepSize) {
      const last = Math.min(first + stepSize, share.payouts) - 1;
      await client.query(stepSql, [first, last, share.workers, share.worker, share.from, share.msBetween, noise]);
      wrote((last - first + 1) / share.workers);
    }
  });
}

function lastMonths(): { from: Date; until: Date } {
  const until = new Date(Date.now() - 60_000);
  const from = new Date(until);
  from.setUTCMonth(from.getUTCMonth() - monthsBack);
  return { from, until };
}

/** Fills a migrated database with finished payouts of new partners. */
export async function loadPayouts(
  database: Pick<TestDatabase, 'superuserUrl' | 'serviceUrl'>,
  { payouts, partners: partnerCount, during = lastMonths(), onProgress }: LoadOptions,
): Promise<void> {
  const { from, until } = during;
  await asAdmin(database.superuserUrl, async (client) => makeMonths(client, from));
  const partners = await createPartners(database, partnerCount);
  const enough = dearest * BigInt(Math.ceil(payouts / partnerCount) + 1);
  const partnerIds = partners.map(({ partnerId }) => partnerId);
  await depositForAll(database, partnerIds, enough, { now: () => from });
  const workers = Math.min(partnerCount, availableParallelism());
  const msBetween = (until.getTime() - from.getTime()) / payouts;
  let written = 0;
  const wrote = (count: number): void => {
    written += count;
    onProgress?.(Math.round(written));
  };
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) =>
      loadShare(database.superuserUrl, { partnerIds, payouts, from, msBetween, workers, worker }, wrote),
    ),
  );
  await asAdmin(database.superuserUrl, async (client) => client.query('analyze'));
}
