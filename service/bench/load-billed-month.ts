import { availableParallelism } from 'node:os';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { ledgerEvents } from '../src/ledger/index.ts';
import { networkCharge, payoutCost, standardMarkups, standardPayoutPrices } from '../src/money/fees.ts';
import { monthEnd, monthStart, type Month } from '../src/platform/london-month.ts';
import { createBilledPartners } from '../test/billing/billed-partners.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { idSql } from './numbered-ids.ts';

// A month of live payouts that have arrived, as far as an invoice reads them: what was posted in pounds when each arrived. The
// payouts themselves, and what was posted in USDC, are left out: no invoice looks at them.

interface LoadOptions {
  month: Month;
  partners: number;
  payoutsEach: number;
  onProgress?: (written: number) => void;
}

const rate = 790_000n;
const priceCount = 500;
const gasFee = 20_000n;
const stepSize = 40_000;

/** By the same code that the service uses. */
function priceOf(number: number) {
  const amount = BigInt(300 + number * 97);
  const { fee, providerFee } = payoutCost(amount, rate, standardPayoutPrices);
  const lines = [
    ...ledgerEvents.feeEarned({ invoiceShare: fee - providerFee }),
    ...ledgerEvents.networkFeeAccrued(networkCharge(gasFee, rate, standardMarkups)),
  ];
  return { fee, providerFee, lines };
}

const prices = Array.from({ length: priceCount }, (_, number) => priceOf(number));

/** What each partner is charged for its payouts: the share of the fees in pence, and network fees in millionths of a pound. */
export function chargedEach(payoutsEach: number): { fees: bigint; network: bigint } {
  let fees = 0n;
  for (let number = 0; number < payoutsEach; number += 1) {
    const { fee, providerFee } = prices[number % priceCount] ?? priceOf(0);
    fees += fee - providerFee;
  }
  return { fees, network: BigInt(payoutsEach) * networkCharge(gasFee, rate, standardMarkups) };
}

async function prepareConnection(client: Client): Promise<void> {
  await client.query('set synchronous_commit = off');
  await client.query(`set work_mem = '256MB'`);
  const lines = prices.flatMap((price, of) => price.lines.map((line, at) => ({ ...line, of, number: at + 1 })));
  await client.query(
    `create temp table load_lines as
     select * from unnest($1::bigint[], $2::smallint[], $3::kelpie.ledger_account[], $4::bigint[], $5::text[])
       as entry (price, line, account, amount, reason)`,
    [
      lines.map(({ of }) => of),
      lines.map(({ number }) => number),
      lines.map(({ account }) => account),
      lines.map(({ amount }) => amount),
      lines.map(({ reason }) => reason ?? 'payout.arrived'),
    ],
  );
  await client.query('analyze load_lines');
}

const randomBits = '(random() * 4611686018427000000)::bigint';

/**
 * Of each partner ($1) the payouts with the numbers from $2 to $5, which are so many milliseconds apart ($4) from the start of
 * the month ($3) on: those of all partners lie between each other, as they would.
 */
const stepSql = `
  with loading as materialized (
    select n.partner_id, n.i % ${priceCount} as price, ${idSql('n.ms', randomBits)} as transfer_id
    from (
      select i, partner_id, (extract(epoch from $3::timestamptz) * 1000 + i * $4::float8)::bigint as ms
      from unnest($1::uuid[]) partner_id cross join generate_series($2::bigint, $5::bigint) i
    ) n
  )
  insert into kelpie.ledger_entries (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
  select l.transfer_id, e.line, l.partner_id, 'live', e.account, e.amount, e.reason, l.transfer_id
  from loading l join load_lines e on e.price = l.price order by l.transfer_id, e.line`;

async function makeMonths(client: Client, from: Date): Promise<void> {
  const { rows } = await client.query<{ parent_name: string; month_start: Date }>(
    'select parent_name, month_start from kelpie.missing_month_partitions($1, 2)',
    [from],
  );
  for (const { parent_name: parent, month_start: start } of rows)
    await client.query('select kelpie.make_month_partition($1, $2)', [parent, start]);
}

/** Fills a migrated database with one month of new partners'. */
export async function loadBilledMonth(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { month, partners: count, payoutsEach, onProgress }: LoadOptions,
): Promise<void> {
  const from = monthStart(month);
  await asAdmin(database.superuserUrl, async (client) => makeMonths(client, from));
  const partners = await createBilledPartners(database, count, from);
  const ids = partners.map(({ partnerId }) => partnerId);
  const numbersAStep = Math.max(1, Math.floor(stepSize / count));
  const msBetween = (monthEnd(month).getTime() - from.getTime()) / payoutsEach;
  let next = 0;
  let written = 0;
  const loadSome = async (): Promise<void> =>
    asAdmin(database.superuserUrl, async (client) => {
      await prepareConnection(client);
      while (next < payoutsEach) {
        const first = next;
        next = Math.min(payoutsEach, first + numbersAStep);
        const last = next - 1;
        await client.query(stepSql, [ids, first, from, msBetween, last]);
        written += (last - first + 1) * count;
        onProgress?.(written);
      }
    });
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, loadSome));
  // As the server does by itself sooner or later: the run then reads the index alone.
  await asAdmin(database.superuserUrl, async (client) => client.query('vacuum (analyze) kelpie.ledger_entries'));
}
