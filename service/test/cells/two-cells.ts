// Two cells without processes, and a mover inside the test.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readAddresses } from '../../src/cells/cell-store.ts';
import { addCell, claimMove, publishPartner, readChanges } from '../../src/cells/directory-store.ts';
import { moveLimits, type MoveLimits } from '../../src/cells/limits.ts';
import { runMove } from '../../src/cells/move-partner.ts';
import type { MoveStep, PartnerMove } from '../../src/cells/move.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { noFailpoint, type Failpoint } from '../../src/platform/failpoint.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createDirectory, prepareForCells, urlForCells } from '../harness/cells.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';

const logger = createLogger('test', 'silent');
export const cells = { a: await createTestDatabase(), b: await createTestDatabase() };
for (const { superuserUrl } of Object.values(cells)) await prepareForCells(superuserUrl, 'cell');
const directoryUrl = await createDirectory(cells.a, after);

function open(url: string, pace: 'unhurried' | 'request'): Pool {
  const pool = openPool({ url, connections: 6, applicationName: 'kelpie-test', logger, pace });
  after(async () => pool.end());
  return pool;
}

export const directory = open(urlForCells(directoryUrl, 'kelpie_mover'), 'unhurried');
const pools = new Map(
  Object.entries(cells).flatMap(([name, { superuserUrl }]) =>
    (['unhurried', 'request'] as const).map((pace): [string, Pool] => [
      `${name} ${pace}`,
      open(urlForCells(superuserUrl, 'kelpie_mover'), pace),
    ]),
  ),
);
export function cell(name: string, pace: 'unhurried' | 'request'): Pool {
  const pool = pools.get(`${name} ${pace}`);
  assert(pool !== undefined);
  return pool;
}
for (const name of Object.keys(cells)) await addCell(directory, { name, url: 'http://127.0.0.1:1' });

export async function createPartner(): Promise<TestPartner> {
  const partner = await createSimulatedPartner(cells.a);
  const { partnerId } = partner;
  await publishPartner(directory, { partnerId, cell: 'a' }, await readAddresses(cell('a', 'unhurried'), partnerId));
  return partner;
}

export const limits: MoveLimits = { ...moveLimits, againForMs: 300, pauseMs: 20 };

export async function claim({ partnerId }: TestPartner): Promise<PartnerMove> {
  return claimMove(directory, { id: newId(systemClock), partnerId, toCell: 'b' });
}

interface MoveOptions {
  failpoint?: Failpoint;
  within?: MoveLimits;
  stopBefore?: MoveStep;
}

export async function move(
  claimed: PartnerMove,
  { failpoint = noFailpoint, within = limits, stopBefore }: MoveOptions = {},
): Promise<PartnerMove> {
  return runMove({ directory, cell, logger, failpoint, limits: within }, claimed, stopBefore);
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
export async function assertGivenBack({ partnerId }: TestPartner): Promise<void> {
  const { partners } = await readChanges(directory, '0');
  assert.deepEqual(
    partners.find((place) => place.partnerId === partnerId),
    { partnerId, cell: 'a', isHeld: false },
  );
  assert.equal(await count(cells.a.superuserUrl, closedSql, partnerId), 0);
}

export async function assertNothingArrived({ partnerId }: TestPartner): Promise<void> {
  assert.equal(await count(cells.b.superuserUrl, closedSql, partnerId), 0);
  assert.equal(await count(cells.b.superuserUrl, partnersSql, partnerId), 0);
}

export async function assertMoved({ partnerId }: TestPartner): Promise<void> {
  const { partners } = await readChanges(directory, '0');
  assert.deepEqual(
    partners.find((place) => place.partnerId === partnerId),
    { partnerId, cell: 'b', isHeld: false },
  );
  assert.equal(await count(cells.b.superuserUrl, closedSql, partnerId), 0);
  assert.equal(await count(cells.b.superuserUrl, partnersSql, partnerId), 1);
}
