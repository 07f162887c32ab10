import { setTimeout as wait } from 'node:timers/promises';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { formatAuditTrail } from '../../src/app/commands/payout-audit-trail.ts';
import { readAuditTrail } from '../../src/payouts/index.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { passTime, type TestClock } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import { findViolations } from '../harness/invariants.ts';
import type { World } from '../harness/world.ts';
import type { Clients } from './payouts-clients.ts';
import { mostTakenBesides } from './payouts-plan.ts';

// How a simulation of payouts ends: it becomes quiet, and is judged.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/**
 * Past every pause between two looks; and in the end past the day in which an order is sent again, since only then does a
 * payout that the bank keeps refusing become a case.
 */
const movesMs = [
  ...Array.from({ length: 10 }, () => 20_000),
  ...Array.from({ length: 5 }, () => 5 * minuteMs),
  ...Array.from({ length: 3 }, () => hourMs),
  24 * hourMs,
  ...Array.from({ length: 10 }, () => hourMs),
];
const roundMs = 1_500;

export async function countUnfinished({ database }: World): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from kelpie.payouts p
       where p.state in ('sending', 'processing') or (p.state = 'pending' and not exists (
         select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null))`,
    );
    return rows[0]?.count ?? 0;
  });
}

/** Lets time pass until every payout is at an end, or waits for a person. What is not by then, is judged as it is. */
export async function becomeQuiet(
  { world, clock }: { world: World; clock: TestClock },
  say: (text: string) => void,
): Promise<void> {
  for (const byMs of movesMs) {
    await wait(roundMs);
    const unfinished = await countUnfinished(world);
    if (unfinished === 0) return;
    say(`${unfinished} are not at their end`);
    await passTime({ clock, bank: world.bank }, byMs);
  }
}

const mostJudgements = 12;
const judgeAgainMs = 3_000;

/** News that is still on its way is no violation: what stays one is. */
export async function judge(
  { world, clients }: { world: World; clients: Pick<Clients, 'reported'> },
  judgements = mostJudgements,
): Promise<string[]> {
  const acknowledged: string[] = [];
  for (const ids of clients.reported.values()) acknowledged.push(...ids);
  let violations: string[] = [];
  for (let judgement = 0; judgement < judgements; judgement += 1) {
    violations = [
      ...(await findViolations({ ...world, acknowledged })),
      ...(await judgeKeys(world, clients)),
      ...(await judgeAmounts(world)),
    ];
    if (violations.length === 0 || judgement === judgements - 1) break;
    await wait(judgeAgainMs);
  }
  return violations;
}

/** A key that somebody was told a payout for stands for that one, and for no other. */
async function judgeKeys({ database }: World, { reported }: Pick<Clients, 'reported'>): Promise<string[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ key: string; ids: string[] }>(
      `select idempotency_key as key, array_agg(id::text) as ids from kelpie.payouts
       where state <> 'not_created' group by idempotency_key`,
    ),
  );
  const made = new Map(rows.map(({ key, ids }) => [key, ids]));
  return [...reported].flatMap(([key, ids]) => {
    const now = made.get(key) ?? [];
    return now.length === 1 && ids.size === 1 && ids.has(now[0] ?? '')
      ? []
      : [`I1 ${key} stands for ${now.join(' and ') || 'nothing'}, and was told as ${[...ids].join(' and ')}`];
  });
}

/** What rounding can make of it. */
const centMicroUsdc = 10_000;

/** A partner pays what the bank takes, but for what the plan has the bank take besides. */
async function judgeAmounts({ database }: World): Promise<string[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ id: string; sends: string; took: string }>(
      `select id, wallet_debit_micro_usdc as sends, bank_debited_micro_usdc as took from kelpie.payouts
       where abs(wallet_debit_micro_usdc - bank_debited_micro_usdc) > $1`,
      [mostTakenBesides + centMicroUsdc],
    ),
  );
  return rows.map(({ id, sends, took }) => `payout ${id} sends ${sends} micro-USDC, and the bank took ${took}`);
}

/** What our processes called an error, each kind once with how often it was said. */
export function reportErrors({ processes }: Pick<World, 'processes'>, say: (text: string) => void): void {
  const said = processes.flatMap((child) => child.output().split('\n')).filter((line) => line.includes('"error":{'));
  const kinds = Map.groupBy(said, (line) => {
    const { event, error } = readLine(line);
    return JSON.stringify({ event, error });
  });
  for (const [kind, lines] of kinds) say(`${lines.length} times ${kind}`);
}

function readLine(line: string): { event: unknown; error: unknown } {
  const json: unknown = JSON.parse(line);
  return { event: valueAt(json, 'event'), error: valueAt(json, 'error') };
}

const maxAuditTrails = 5;
const payoutIdForm = /payout ([0-9a-f-]{36})/;

/** The database is gone afterwards: what a person needs to understand a violation is told now. */
export async function printAuditTrails(
  database: Pick<TestDatabase, 'readerUrl'>,
  violations: readonly string[],
  say: (text: string) => void,
): Promise<void> {
  const ids = new Set(violations.flatMap((violation) => payoutIdForm.exec(violation)?.[1] ?? []));
  const logger = createLogger('simulate', 'silent');
  const pool = openPool({ url: database.readerUrl, connections: 1, applicationName: 'simulate-stories', logger });
  try {
    for (const id of [...ids].slice(0, maxAuditTrails)) {
      const auditTrail = await inTransaction(pool, 'shared', async (tx) => readAuditTrail(tx, id));
      if (auditTrail !== null) say(formatAuditTrail(auditTrail));
    }
  } finally {
    await pool.end();
  }
}
