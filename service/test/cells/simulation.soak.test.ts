import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { simulateCells } from '../simulate/cells.ts';

const database = await createTestDatabase();

test('faults 91: a partner that pays is moved to another cell, and no payout is lost or doubled, however movers are killed', async (t) => {
  const say = (text: string): void => t.diagnostic(text);
  const { violations, figures } = await simulateCells({ payouts: 40, abortedAt: ['copy', 'freeze', 'switch'] })({
    database,
    seconds: 0,
    seeds: 0,
    seed: 7,
    say,
  });
  assert.deepEqual(violations, []);
  const { lost, doubled, aborts, kills } = figures;
  assert.deepEqual({ lost, doubled, aborts, kills }, { lost: 0, doubled: 0, aborts: 3, kills: 6 });
});
