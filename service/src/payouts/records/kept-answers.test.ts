import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createPayoutDeps } from '../../../test/harness/payout-deps.ts';
import { plantPayout } from '../../../test/harness/planted-payout.ts';
import { createSimulatedBank } from '../../banks/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import { openWriteGate } from '../../platform/database/write-gate.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { createCommits } from './commits.ts';
import { findPayout } from './payout-store.ts';

const database = await createTestDatabase();
const [partner] = await createPartners(database, 1);
assert(partner !== undefined);
const { calls } = createPayoutDeps(database, { provider_sandbox: createSimulatedBank(systemClock) });

test('an answer of the bank that could not be recorded is recorded once writes are confirmed again', async () => {
  const { id } = await plantPayout(database, partner, 'sending');
  const payout = await findPayout(calls, partner, id);
  assert(payout !== null);
  const opened = Promise.withResolvers<undefined>();
  let isAway = true;
  const away: SingleCalls = {
    ...calls,
    writeGate: { ...openWriteGate, untilOpen: async () => opened.promise },
    call: async (...asked) => {
      if (isAway) throw tooBusy();
      return calls.call(...asked);
    },
  };
  const commits = createCommits(away, systemClock);
  const transition = {
    at: systemClock.now(),
    by: 'bank',
    steps: [{ to: 'pending', what: 'not_known', detail: null, lines: [] }],
    bankFacts: { bankState: 'kept' },
    schedule: { kind: 'close' },
  } as const;
  // Its caller learns that the database is away.
  await assert.rejects(commits.recordAnswer({ payout, transition }), { code: 'unavailable' });
  assert.equal((await findPayout(calls, partner, id))?.bankState, null);
  isAway = false;
  opened.resolve(undefined);
  await eventually('it is recorded', async () => (await findPayout(calls, partner, id))?.bankState === 'kept');
  assert.equal((await findPayout(calls, partner, id))?.revision, 2);
});
