import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { textAt } from '@kelpie/dev/json.ts';
import { decide, plantRules, requestIn } from '../../harness/approvals.ts';
import { createPayout, payoutBody } from '../../harness/client.ts';
import { assertAllHolds } from '../../harness/invariants.ts';
import { signIn } from '../../harness/people.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { untilQuiet } from '../../harness/waits.ts';
import { startWorld } from '../../harness/world.ts';

const oldKey = `1:${testSecrets.KELPIE_INDEX_KEY}`;
const world = await startWorld({ env: { KELPIE_INDEX_KEY: oldKey } });

test('a payout that was asked for under the old index key is approved and paid once under the new one', async () => {
  const { database, partner } = world;
  await plantRules(database, partner, { abovePence: 0n });
  const body = payoutBody();
  const key = randomUUID();
  const ask = async () => createPayout({ url: world.api.url, key: partner.key }, body, key);
  const id = requestIn(await ask());
  await world.restartApi({ KELPIE_INDEX_KEY: `2:${'f7'.repeat(32)},${oldKey}` });
  assert.equal(requestIn(await ask()), id);
  const admin = await signIn(database, partner, { url: world.api.url });
  const approved = await decide(admin, id, 'approve');
  assert.deepEqual([approved.status, approved.payout], [200, 'approved'], approved.text);
  const replay = await ask();
  assert.deepEqual([replay.status, replay.id], [200, textAt(approved.json, 'payout_id')], replay.text);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [replay.id] });
});
