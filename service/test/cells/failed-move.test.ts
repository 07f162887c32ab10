import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { closePartner } from '../../src/cells/cell-store.ts';
import { switchPartner } from '../../src/cells/directory-store.ts';
import { canAbort, moveSteps } from '../../src/cells/move.ts';
import type { Failpoint } from '../../src/platform/failpoint.ts';
import { adminUrlOf } from '../harness/cells.ts';
import {
  assertGivenBack,
  assertMoved,
  assertNothingArrived,
  cell,
  cells,
  claim,
  createPartner,
  directory,
  limits,
  move,
} from './two-cells.ts';

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

for (const step of moveSteps.filter(canAbort))
  test(`faults 91: a mover that fails at the step ${step} gives the partner back`, async () => {
    const partner = await createPartner();
    const { state } = await move(await claim(partner), { failpoint: failAt(`${step}.done`) });
    assert.equal(state, 'aborted');
    await assertGivenBack(partner);
    await assertNothingArrived(partner);
  });

test('a step that does not end is given up at its deadline', async () => {
  const partner = await createPartner();
  const short = { ...limits, stepMs: { ...limits.stepMs, verify: 50 } };
  const { state } = await move(await claim(partner), {
    failpoint: async (point) => (point === 'verify.begun' ? new Promise<void>(() => undefined) : undefined),
    within: short,
  });
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
  await assert.rejects(move(await claim(partner), { failpoint: breaking }));
  await assertGivenBack(partner);
  await allowConnections(true);
  const { state } = await move(await claim(partner));
  assert.equal(state, 'aborted');
  await assertNothingArrived(partner);
});

test('a freeze that arrives after the partner was given back closes nothing', async () => {
  const partner = await createPartner();
  const claimed = await claim(partner);
  await move(claimed, { failpoint: failAt('freeze.begun') });
  await assert.rejects(closePartner(cell('a', 'request'), claimed, 'leaving'), { code: 'KP462' });
  await assertGivenBack(partner);
});

for (const step of moveSteps.filter((one) => !canAbort(one)))
  test(`faults 91: a mover that fails at the step ${step} tries it again: the partner lives in its new cell`, async () => {
    const partner = await createPartner();
    const { state } = await move(await claim(partner), { failpoint: failAt(`${step}.done`, 2) });
    assert.equal(state, 'done');
    await assertMoved(partner);
  });

test('a switch whose answer was lost is not taken back', async () => {
  const partner = await createPartner();
  const claimed = await claim(partner);
  const committing = failAt('switch.done', 1, async () => {
    await switchPartner(directory, { ...claimed, state: 'switch' }, 'close');
  });
  const { state } = await move(claimed, { failpoint: committing });
  assert.equal(state, 'done');
  await assertMoved(partner);
});

test('a mover that another one has replaced stops, and changes nothing', async () => {
  const partner = await createPartner();
  const replaced = failAt('catch_up.begun', 1, async () => void (await claim(partner)));
  await assert.rejects(move(await claim(partner), { failpoint: replaced }), { name: 'MoveTaken' });
  const next = await claim(partner);
  assert.equal(next.state, 'catch_up');
  await move(next);
  await assertMoved(partner);
});
