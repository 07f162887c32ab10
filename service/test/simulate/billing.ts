import { isDeepStrictEqual } from 'node:util';
import { beginAudit } from '@kelpie/dev/postgres/prepare.ts';
import { verifyInvoices, verifyOutstanding, verifyPayments } from '../../src/billing/index.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.ts';
import { listItems } from '../../src/billing/invoices/list-items.ts';
import type { Place } from '../../src/billing/invoices/store.ts';
import { listInvoices } from '../../src/billing/invoices/store.ts';
import { everything, verifyLedger } from '../../src/ledger/index.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { ApiError } from '../../src/platform/api-error.ts';
import type { TestDatabase } from '../harness/database.ts';
import { createEmptyArchive } from '../harness/empty-archive.ts';
import { testSecrets } from '../harness/secrets.ts';
import { expectYear, type ModelInvoice } from './billing-model.ts';
import { planBilling } from './billing-plan.ts';
import { BillingWorld, prepareYear } from './billing-world.ts';
import type { Simulation } from './simulation.ts';

function reported(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}

function asModel(partner: number, { period, lines, total, carriedOut, paid, status }: Invoice): ModelInvoice {
  const amounts = lines.map(({ kind, amount }): [string, bigint] => [kind, amount]);
  const state = status === 'paid' || status === 'void' ? status : 'open';
  return { partner, period, lines: Object.fromEntries(amounts), total, carriedOut, paid, state };
}

/** All of an invoice's items, by pages that are too small for it. */
async function itemsOf({ calls }: BillingWorld, partnerId: string, invoice: Invoice) {
  const found = [];
  let after: Place | null = null;
  do {
    const page: Awaited<ReturnType<typeof listItems>> = await listItems(
      { calls, archive: createEmptyArchive(), nameOldPayouts: async () => new Map() },
      partnerId,
      invoice,
      {
        kind: null,
        after,
        limit: 7,
      },
    );
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  return found;
}

/** Every line opens to items that sum to it, and no item is on two invoices. */
async function judgeItems(world: BillingWorld, partnerId: string, invoices: readonly Invoice[]): Promise<string[]> {
  const violations: string[] = [];
  const seen = new Set<string>();
  for (const invoice of invoices) {
    const items = await itemsOf(world, partnerId, invoice);
    for (const { kind, amount, items: count } of invoice.lines) {
      const own = items.filter((item) => item.kind === kind);
      const sum = own.reduce((so, item) => so + (item.effect === 'taken_back' ? -item.amount : item.amount), 0n);
      // Items are exact in micro-pounds. Only network fees have fractions of a penny: their sum is rounded once.
      const isSame = kind === 'network_fees' ? (sum + 5_000n) / 10_000n === amount : sum === amount * 10_000n;
      if (!isSame) violations.push(`${invoice.period} ${kind} is ${amount}p, and its items sum to ${sum} micro-pounds`);
      if (own.length !== count) violations.push(`${invoice.period} ${kind} says ${count} items, and has ${own.length}`);
    }
    const kinds = new Set<string>(invoice.lines.map(({ kind }) => kind));
    for (const item of items) {
      if (!kinds.has(item.kind)) violations.push(`${invoice.period} has an item of no line: ${item.kind}`);
      if (item.id === null) continue;
      if (seen.has(item.id)) violations.push(`${item.id} is on two invoices, or twice on one`);
      seen.add(item.id);
    }
  }
  return violations;
}

/** One seed's year, held against the model. Says how many payouts and invoices there were. */
export async function simulateYear(
  world: BillingWorld,
  seed: number,
): Promise<{ violations: string[]; payouts: number; invoices: number }> {
  const plan = planBilling({ seed });
  world.beginAgain();
  for (const event of plan.events) await world.perform(event);
  const { invoices: expected, outcomes } = expectYear(plan);
  const violations: string[] = [];
  if (!isDeepStrictEqual(world.outcomes, outcomes))
    violations.push(`operators got ${world.outcomes.join()}, and should get ${outcomes.join()}`);
  let count = 0;
  for (const [partner, partnerId] of world.partnerIds().entries()) {
    const listed = await listInvoices(world.calls, partnerId, { fromPeriod: '', atMost: 100 });
    const invoices = listed.toReversed();
    count += invoices.length;
    const found = invoices.map((invoice) => asModel(partner, invoice));
    const wanted = expected.filter((invoice) => invoice.partner === partner);
    if (!isDeepStrictEqual(sortLines(found), sortLines(wanted)))
      violations.push(`the invoices are ${reported(found)}, and should be ${reported(wanted)}`);
    violations.push(...(await judgeItems(world, partnerId, invoices)));
  }
  const payouts = plan.events.filter(({ kind }) => kind === 'created').length;
  return { violations: violations.map((text) => `seed ${seed}: ${text}`), payouts, invoices: count };
}

function sortLines(invoices: readonly ModelInvoice[]): unknown[] {
  return invoices.map(({ lines, ...rest }) => ({
    ...rest,
    lines: Object.entries(lines).toSorted(([one], [other]) => one.localeCompare(other)),
  }));
}

const mostDifferences = 100;

/** What the books themselves say: that they balance, and that every invoice is what was posted. */
export async function findBillingDifferences({ readerUrl }: TestDatabase): Promise<string[]> {
  const logger = createLogger('simulate', 'silent');
  const pool = openPool({
    url: readerUrl,
    connections: 1,
    applicationName: 'simulate-verify',
    logger,
    pace: 'unhurried',
  });
  try {
    const { ledger, billing, payments, outstanding } = await inTransaction(pool, 'shared', async (tx) => ({
      ledger: await verifyLedger(tx, everything),
      billing: await verifyInvoices(tx, everything),
      payments: await verifyPayments(tx, everything, mostDifferences),
      outstanding: await verifyOutstanding(tx, mostDifferences),
    }));
    const all = [...ledger.differences, ...billing.differences, ...payments, ...outstanding];
    return all.map((difference) => JSON.stringify(difference));
  } finally {
    await pool.end();
  }
}

const mostTries = 5;

/** A machine that is too busy to give us a connection shows nothing: the year is played again, with other partners. */
async function playYear(world: BillingWorld, seed: number): ReturnType<typeof simulateYear> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await simulateYear(world, seed);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'unavailable' || tries === mostTries) throw error;
    }
  }
}

const verifyEvery = 25;

/** A leap year of random payouts, returns, plan changes, runs, payments and voided invoices for each seed, in one database: numbers go on across them. */
export const simulateBilling: Simulation = async ({ database, seed, seeds, say }) => {
  await beginAudit(database, testSecrets.KELPIE_AUDIT_KEY);
  await prepareYear(database);
  const world = new BillingWorld(database);
  const violations: string[] = [];
  const figures = { seeds, payouts: 0, invoices: 0 };
  for (let at = 0; at < seeds; at += 1) {
    const year = await playYear(world, seed + at);
    violations.push(...year.violations);
    // At once: whoever watches need not wait for the end.
    for (const violation of year.violations) say(`VIOLATION ${violation}`);
    figures.payouts += year.payouts;
    figures.invoices += year.invoices;
    const isLast = at === seeds - 1;
    if (isLast || at % verifyEvery === verifyEvery - 1) {
      violations.push(...(await findBillingDifferences(database)));
      say(
        `${at + 1} of ${seeds} seeds, ${figures.payouts} payouts, ${figures.invoices} invoices, ${violations.length} violations`,
      );
    }
  }
  await world.end();
  if (figures.invoices === 0) violations.push('there was no invoice: this shows nothing');
  return { violations, figures };
};
