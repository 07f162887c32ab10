import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { liveOf, openBusiness, startVerifyingWorld, verificationsOf } from '../../partners/verifying.ts';
import { kelpieAdmin } from './kelpie-admin.ts';

const world = await startVerifyingWorld();
const { database, bank } = world;
const business = await openBusiness(world);
const env = {
  KELPIE_TEST_CLOCK_FILE: world.clock.file,
  KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  KELPIE_LIVE_BANK_URL: bank.wireUrl,
  KELPIE_LIVE_BANK_API_KEY: bank.apiKey,
};
const verify = async (...more: string[]) =>
  kelpieAdmin(database, ['partners', 'verify', business.partnerId, '--json', ...more], env);
const email = ['--email', 'grace@tideway.example'];

test('an operator starts a verification at the bank, asks how far it is, and opens nothing that the bank has not approved', async () => {
  const tried = await verify(...email, '--dry-run');
  assert.equal(tried.code, 0, tried.said);
  assert.deepEqual(await verificationsOf(database, business.partnerId), []);
  await bank.control('/webhooks', { mode: 'lose' });
  const started = await verify(...email);
  assert.equal(started.code, 0, started.said);
  assert.equal(textAt(started.data(), 'step'), 'start');
  const [verification] = await verificationsOf(database, business.partnerId);
  assert(verification !== undefined);
  assert.deepEqual(await liveOf(database, business.partnerId), []);
  // Else its own round, once a minute, could be first to hear of it.
  await world.worker?.stop();
  await bank.control(`/kyc-links/${verification.id}/approve`);
  const asked = await verify();
  assert.equal(asked.code, 0, asked.said);
  assert.equal(textAt(asked.data(), 'step'), 'refresh');
  await world.restartWorker();
  await eventually('live is open', async () => (await liveOf(database, business.partnerId)).length === 1);
  const again = await verify(...email);
  assert.equal(again.code, 2);
  assert.equal(textAt(again.json(), 'error.code'), 'nothing_to_do');
  // Whom the bank writes to is the partner's business.
  const log = await kelpieAdmin(database, ['audit', 'list'], env);
  assert.match(log.said, /partner\.verify[\s\S]*"step":"start"/);
  assert.doesNotMatch(log.said, /grace/);
});
