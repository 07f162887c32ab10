import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createEventWatches, watchLimits, type EventWatches } from '../../src/events/index.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { noWakeListener } from '../../src/platform/wake-ups/wake-listener.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';

const logger = createLogger('test', 'silent');
const database = await createTestDatabase();
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const opened: EventWatches[] = [];
after(async () => {
  for (const watches of opened) watches.stop();
  await pool.end();
});

/** No wake-up reaches them: what they find, they find by number. */
function openWatches(limits = watchLimits): EventWatches {
  const watches = createEventWatches({ calls, logger, wakeUps: noWakeListener }, limits);
  opened.push(watches);
  return watches;
}

async function newPartners(count: number): Promise<PartnerContext[]> {
  return createPartners(database, count);
}

/** One event about each, in this order, numbered in one commit. */
async function numberEvents({ partnerId, environment }: PartnerContext, subjects: readonly string[]): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query(
      `insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
       select $1, $2, 'payout.completed', subject, 1, now() from unnest($3::uuid[]) with ordinality as s (subject, place)
       order by place`,
      [partnerId, environment, subjects],
    );
    await admin.query('select kelpie.number_events(now(), 100000)');
  });
}

const newSubjects = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

test('what happened before a watch began ends no wait, and what happens after it does, without any wake-up', async () => {
  const [partner, other] = await newPartners(2);
  assert(partner !== undefined && other !== undefined);
  const subject = randomUUID();
  await numberEvents(partner, [subject]);
  const watches = openWatches();
  const watch = watches.watch(partner, subject);
  const silent = watches.watch(other, subject);
  assert(watch !== null && silent !== null);
  await Promise.all([watch.begun, silent.begun]);
  let isWoken = false;
  const woken = watch.next().then((goesOn) => {
    isWoken = true;
    return goesOn;
  });
  const later = randomUUID();
  const fence = watches.watch(partner, later);
  assert(fence !== null);
  await numberEvents(partner, [...newSubjects(3), later]);
  assert.equal(await fence.next(), true);
  assert.equal(isWoken, false, 'events about others');
  fence.end();
  await numberEvents(partner, [subject]);
  assert.equal(await woken, true);
  watch.end();
  assert.equal(await watch.next(), false, 'one that has ended');
  silent.end();
  assert.equal(await silent.next(), false, "another partner's event about the same id");
});

test('of more events than one read takes, none is left out, for any partner', async () => {
  const partners = await newPartners(3);
  const watches = openWatches();
  const last = partners.map((of) => ({ of, subject: randomUUID() }));
  const all = last.map(({ of, subject }) => watches.watch(of, subject));
  await Promise.all(all.map(async (watch) => watch?.begun));
  const woken = all.map(async (watch) => watch?.next());
  for (const { of, subject } of last) await numberEvents(of, [...newSubjects(1_500), subject]);
  assert.deepEqual(await Promise.all(woken), [true, true, true]);
});

test('a process and a partner have so many watches at most, and one that ends makes room', async () => {
  const [one, other] = await newPartners(2);
  assert(one !== undefined && other !== undefined);
  const watches = openWatches({ most: 3, ofFeed: 2 });
  const [first, second] = newSubjects(2).map((subject) => watches.watch(one, subject));
  assert(first && second);
  assert.equal(watches.watch(one, randomUUID()), null, 'a third of one partner');
  const third = watches.watch(other, randomUUID());
  assert(third !== null);
  assert.equal(watches.watch(other, randomUUID()), null, 'a fourth of the process');
  await Promise.all([first.begun, second.begun, third.begun]);
  first.end();
  first.end();
  assert.equal(watches.count(), 2);
  const next = watches.watch(other, randomUUID());
  assert(next !== null);
  await next.begun;
  watches.stop();
  assert.deepEqual(await Promise.all([second.next(), third.next(), next.next()]), [false, false, false]);
  assert.deepEqual([watches.count(), watches.watch(one, randomUUID())], [0, null]);
});
