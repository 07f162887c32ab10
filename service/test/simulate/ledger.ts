import { listedLines } from '../harness/listed-lines.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { everything, postTransfers, verifyLedger, type Transfer } from '../../src/ledger/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createPartners } from '../harness/partners.ts';
import { randomFrom, type Random } from './random.ts';
import type { Simulation } from './simulation.ts';

const connections = 50;
const walletCount = 20;
const startingBalance = 1_000_000n;
const mostMoved = 400_000;
const mostMovesInBatch = 6;
const killEveryMs = 250;

function walletChange(owner: PartnerContext, change: bigint): Transfer {
  const id = newId(systemClock);
  const lines = [
    { account: 'bank_wallet', amount: change },
    { account: 'wallet', amount: -change },
  ] as const;
  return { id, ...owner, reason: 'correction', causeId: id, lines: listedLines(lines) };
}

class CouldNotPay extends Error {}

/** Several moves from wallet to wallet in one call, and all of them or none. */
async function moveMoney(tx: Transaction, owners: readonly PartnerContext[], random: Random): Promise<void> {
  const pick = (): PartnerContext => {
    const owner = owners[random.below(owners.length)];
    if (owner === undefined) throw new Error('there are no wallets');
    return owner;
  };
  const moves = Array.from({ length: 1 + random.below(mostMovesInBatch) }, () => {
    const amount = BigInt(1 + random.below(mostMoved));
    return [walletChange(pick(), -amount), walletChange(pick(), amount)];
  });
  const outcomes = await postTransfers(tx, moves.flat());
  if (outcomes.some((outcome) => outcome.kind !== 'posted')) throw new CouldNotPay();
}

type Counts = Record<'moved' | 'refused' | 'broken' | 'deadlocks' | 'killed', number>;

const deadlockDetected = '40P01';

function count(error: unknown, counts: Counts, violations: string[]): void {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (error instanceof CouldNotPay) counts.refused += 1;
  else if (code === deadlockDetected) {
    counts.deadlocks += 1;
    violations.push('a deadlock');
  } else if (code === '57P01' || /connection|ECONN/i.test(String(error))) counts.broken += 1;
  else violations.push(`a move failed for a reason of its own: ${String(error)}`);
}

async function moveUntil(
  pool: Pool,
  owners: readonly PartnerContext[],
  random: Random,
  until: number,
  counts: Counts,
  violations: string[],
): Promise<void> {
  while (performance.now() < until) {
    try {
      await inTransaction(pool, 'batch', async (tx) => moveMoney(tx, owners, random));
      counts.moved += 1;
    } catch (error) {
      count(error, counts, violations);
    }
  }
}

/** Ends the connection of a mover, whatever it is doing. */
async function killUntil(superuserUrl: string, until: number, counts: Counts): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    while (performance.now() < until) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'simulate-ledger' and datname = current_database() order by random() limit 2`,
      );
      counts.killed += rowCount ?? 0;
      await wait(killEveryMs);
    }
  });
}

async function sumOfWallets(superuserUrl: string): Promise<{ total: bigint; negative: number }> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ total: string; negative: string }>(
      `select sum(balance_micro_usdc) as total, count(*) filter (where balance_micro_usdc < 0) as negative from kelpie.wallets`,
    );
    return { total: BigInt(rows[0]?.total ?? 0), negative: Number(rows[0]?.negative) };
  });
}

/** Looks in while it goes on: no moment may show another total than the first. */
async function watchUntil(
  superuserUrl: string,
  until: number,
  say: (text: string) => void,
  counts: Counts,
  violations: string[],
): Promise<void> {
  const expected = startingBalance * BigInt(walletCount);
  for (let look = 0; performance.now() < until; look += 1) {
    const { total, negative } = await sumOfWallets(superuserUrl);
    if (total !== expected) violations.push(`the total is ${total}, not ${expected}`);
    if (negative > 0) violations.push(`${negative} wallets are below zero`);
    if (look % 10 === 0) say(JSON.stringify(counts));
    await wait(500);
  }
}

/** 50 connections move money among 20 wallets while connections are killed. */
export const simulateLedger: Simulation = async ({ database, seconds, seed, say }) => {
  const logger = createLogger('simulate', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections, applicationName: 'simulate-ledger', logger });
  const readerPool = openPool({
    url: database.readerUrl,
    connections: 1,
    applicationName: 'simulate-verify',
    logger,
    pace: 'unhurried',
  });
  const owners = await createPartners(database, walletCount);
  await inTransaction(pool, 'batch', async (tx) =>
    postTransfers(
      tx,
      owners.map((owner) => walletChange(owner, startingBalance)),
    ),
  );

  const counts: Counts = { moved: 0, refused: 0, broken: 0, deadlocks: 0, killed: 0 };
  const violations: string[] = [];
  const until = performance.now() + seconds * 1_000;
  await Promise.all([
    ...Array.from({ length: connections }, async (_, at) =>
      moveUntil(pool, owners, randomFrom(seed + at), until, counts, violations),
    ),
    killUntil(database.superuserUrl, until, counts),
    watchUntil(database.superuserUrl, until, say, counts, violations),
  ]);

  if (counts.moved === 0 || counts.killed === 0)
    violations.push('nothing was moved, or nobody was killed: this shows nothing');
  const { total } = await sumOfWallets(database.superuserUrl);
  if (total !== startingBalance * BigInt(walletCount)) violations.push(`the total is ${total} at the end`);
  const { differences, entries } = await inTransaction(readerPool, 'shared', async (tx) =>
    verifyLedger(tx, everything),
  );
  violations.push(...differences.map((difference) => JSON.stringify(difference)));
  await pool.end();
  await readerPool.end();
  return { violations, figures: { ...counts, entries } };
};
