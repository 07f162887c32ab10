import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { simulateEvents } from '../simulate/events.ts';

const database = await createTestDatabase();

test('every endpoint gets every event in order, however apis and workers are killed and endpoints fail', async (t) => {
  const simulate = simulateEvents(300);
  const say = (text: string): void => t.diagnostic(text);
  const { violations, figures } = await simulate({ database, seconds: 0, seeds: 0, seed: 7, say });
  assert.deepEqual(violations, []);
  const { gaps, undelivered, out_of_order: outOfOrder, forged } = figures;
  assert.deepEqual({ gaps, undelivered, outOfOrder, forged }, { gaps: 0, undelivered: 0, outOfOrder: 0, forged: 0 });
  // What was lost and came again by itself needs no healing.
  assert(Number(figures['healed']) > 0, JSON.stringify(figures));
});
