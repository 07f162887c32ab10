import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { closePartner, readAddresses } from '../../src/cells/cell-store.ts';
import { addCell, claimMove, publishPartner, readChanges, switchPartner } from '../../src/cells/directory-store.ts';
import { moveLimits, type MoveLimits } from '../../src/cells/limits.ts';
import { runMove } from '../../src/cells/move-partner.ts';
import { canAbort, moveSteps, type PartnerMove } from '../../src/cells/move.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import type { Failpoint } from '../../src/platform/failpoint.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { adminUrlOf, createDirectory, prepareForCells, urlForCells } from '../harness/cells.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';

const logger = createLogger('test', 'silent');
const cells = { a: await createTestDatabase(), b: await createTestDatabase() };
for (const { superuserUrl } of Object.values(cells)) await prepareForCells(superuserUrl, 'cell');
const directoryUrl = await createDirectory(cells.a, after);

function open(url: string, pace: 'unhurried' | 'request'): Pool {
  const pool = openPool({ url, connections: 6, applicationName: 'kelpie-test', logger, pace });
  after(async () => pool.end());
  return pool;
}

const directory = open(urlForCells(directoryUrl, 'kelpie_mover'), 'unhurried');
const pools = new Map(
  Object.entries(cells).flatMap(([name, { superuserUrl }]) =>
    (['unhurried', 'request'] as const).map((pace): [string, Pool] => [
      `${name} ${pace}`,
      open(urlForCells(superuserUrl, 'kelpie_mover'), pace),
    ]),
  ),
);
function cell(name: string, pace: 'unhurried' | 'request'): Pool {
  const pool = pools.get(`${name} ${pace}`);
  assert(pool !== undefined);
  return pool;
}
for (const name of Object.keys(cells)) await addCell(directory, { name, url: 'http://127.0.0.1:1' });

async function createPartner(): Promise<TestPartner> {
  const partner = await createSimulatedPartner(cells.a);
  const { partnerId } = partner;
  await publishPartner(directory, { partnerId, cell: 'a' }, await readAddresses(cell('a', 'unhurried'), partnerId));
  return partner;
}

const limits: MoveLimits = { ...moveLimits, againForMs: 300, pauseMs: 20 };

async function claim({ partnerId }: TestPartner): Promise<PartnerMove> {
  return claimMove(directory, { id: newId(systemClock), partnerId, toCell: 'b' });
}

async function move(claimed: PartnerMove, failpoint: Failpoint, within: MoveLimits = limits): Promise<PartnerMove> {
  return runMove({ directory, cell, logger, failpoint, limits: within }, claimed);
}

/** Fails at a point, so many times. */
function failAt(point: string, times = 1, besides = async (): Promise<void> => undefined): Failpoint {
  let left = times;
  return async (reached) => {
    if (reached !== point || left === 0) return;
    left -= 1;
    await besides();
    throw new Error('planted');
  };
}

async function count(superuserUrl: string, sql: string, partnerId: string): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(sql, [partnerId]);
    return rows[0]?.count ?? 0;
  });
}

const closedSql = 'select count(*)::int as count from cells.closed_partners where partner_id = $1';
const partnersSql = 'select count(*)::int as count from kelpie.partners where id = $1';

/** It lives in the first cell, which lets it work, and no router holds it back. */
async function assertGivenBack({ partnerId }: TestPartner): Promise<void> {
  const { partners } = await readChanges(directory, '0');
  assert.deepEqual(
    partners.find((place) => place.partnerId === partnerId),
    { partnerId, cell: 'a', isHeld: false },
  );
  assert.equal(await count(cells.a.superuserUrl, closedSql, partnerId), 0);
}

async function assertNothingArrived({ partnerId }: TestPartner): Promise<void> {
  assert.equal(await count(cells.b.superuserUrl, closedSql, partnerId), 0);
  assert.equal(await count(cells.b.superuserUrl, partnersSql, partnerId), 0);
}

for (const step of moveSteps.filter(canAbort))
  test(`a mover that fails at the step ${step} gives the partner back`, async () => {
    const partner = await createPartner();
    const { state } = await move(await claim(partner), failAt(`${step}.done`));
    assert.equal(state, 'aborted');
    await assertGivenBack(partner);
    await assertNothingArrived(partner);
  });

test('a step that does not end is given up at its deadline', async () => {
  const partner = await createPartner();
  const short = { ...limits, stepMs: { ...limits.stepMs, verify: 50 } };
  const { state } = await move(
    await claim(partner),
    async (point) => (point === 'verify.begun' ? new Promise<void>(() => undefined) : undefined),
    short,
  );
  assert.equal(state, 'aborted');
  await assertGivenBack(partner);
  await assertNothingArrived(partner);
});

async function allowConnections(isAllowed: boolean): Promise<void> {
  const name = new URL(cells.b.superuserUrl).pathname.slice(1);
  await asAdmin(adminUrlOf(cells.b), async (client) => {
    await client.query(`alter database ${name} allow_connections ${isAllowed}`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  });
}

test('a partner is given back while its new cell is out of reach, which is tidied later', async () => {
  const partner = await createPartner();
  const breaking = failAt('verify.begun', 1, async () => allowConnections(false));
  await assert.rejects(move(await claim(partner), breaking));
  await assertGivenBack(partner);
  await allowConnections(true);
  const { state } = await move(await claim(partner), async () => undefined);
  assert.equal(state, 'aborted');
  await assertNothingArrived(partner);
});

test('a freeze that arrives after the partner was given back closes nothing', async () => {
  const partner = await createPartner();
  const claimed = await claim(partner);
  await move(claimed, failAt('freeze.begun'));
  await assert.rejects(closePartner(cell('a', 'request'), claimed, 'leaving'), { code: 'KP462' });
  await assertGivenBack(partner);
});

async function assertMoved({ partnerId }: TestPartner): Promise<void> {
  const { partners } = await readChanges(directory, '0');
  assert.deepEqual(
    partners.find((place) => place.partnerId === partnerId),
    { partnerId, cell: 'b', isHeld: false },
  );
  assert.equal(await count(cells.b.superuserUrl, closedSql, partnerId), 0);
  assert.equal(await count(cells.b.superuserUrl, partnersSql, partnerId), 1);
}

for (const step of moveSteps.filter((one) => !canAbort(one)))
  test(`a mover that fails at the step ${step} tries it again: the partner lives in its new cell`, async () => {
    const partner = await createPartner();
    const { state } = await move(await claim(partner), failAt(`${step}.done`, 2));
    assert.equal(state, 'done');
    await assertMoved(partner);
  });

test('a switch whose answer was lost is not taken back', async () => {
  const partner = await createPartner();
  const claimed = await claim(partner);
  const committing = failAt('switch.done', 1, async () => {
    await switchPartner(directory, { ...claimed, state: 'switch' }, 'close');
  });
  const { state } = await move(claimed, committing);
  assert.equal(state, 'done');
  await assertMoved(partner);
});

test('a mover that another one has replaced stops, and changes nothing', async () => {
  const partner = await createPartner();
  const replaced = failAt('catch_up.begun', 1, async () => void (await claim(partner)));
  await assert.rejects(move(await claim(partner), replaced), { name: 'MoveTaken' });
  const next = await claim(partner);
  assert.equal(next.state, 'catch_up');
  await move(next, async () => undefined);
  await assertMoved(partner);
});
