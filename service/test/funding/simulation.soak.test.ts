import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { planFunding, webhookModes } from '../simulate/funding-plan.ts';
import { simulateFunding } from '../simulate/funding.ts';

const database = await createTestDatabase();

test('a seed makes the same plan again, and any four in a row have every disorder of webhooks', () => {
  assert.deepEqual(planFunding(7), planFunding(7));
  assert.notDeepEqual(planFunding(7), planFunding(8));
  const modes = [20, 21, 22, 23].map((seed) => planFunding(seed).modes[0]);
  assert.deepEqual(new Set(modes), new Set(webhookModes));
});

test('faults 63: deposits under lost, doubled and shuffled webhooks are each credited once, and the books are the bank’s', async (t) => {
  const { violations, figures } = await simulateFunding({
    database,
    seconds: 0,
    seed: 40,
    seeds: 8,
    say: (text) => t.diagnostic(text),
  });
  assert.deepEqual(violations, []);
  assert(Number(figures['bank_credits']) > 20, JSON.stringify(figures));
});
