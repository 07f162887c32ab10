import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createSimulatedPartner, addLiveEnvironment } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startWorld } from '../harness/world.ts';

// A person sees both environments of the partner, one at a time, by ?environment=.

const world = await startWorld({ environment: 'live' });
const { url } = world.api;
const verified = await createSimulatedPartner(world.database);
const live = await addLiveEnvironment(world.database, world.bank, verified);
const viewer = await signIn(world.database, verified, { url, role: 'viewer' });
const inSandbox = [
  await createPayout({ url, key: verified.key }, payoutBody({ reference: 'sandbox 1' })),
  await createPayout({ url, key: verified.key }, payoutBody({ reference: 'sandbox 2' })),
];
const inLive = await createPayout({ url, key: live.key }, payoutBody({ amount_gbp: '25.00' }));

/** What is of one environment: everything but keys, activity and invoices, which are the partner's. */
const ofOneEnvironment = ['account', 'balance', 'compliance', 'payouts', 'recipients', 'usage'];

function idsOf(json: unknown): string[] {
  const data = valueAt(json, 'data');
  assert(Array.isArray(data));
  return data.map((one) => textAt(one, 'id'));
}

test('to look, sandbox is understood', async () => {
  const { json } = await callAs(viewer, '/v1/payouts');
  assert.deepEqual(idsOf(json), inSandbox.map(({ id }) => id).toReversed());
  assert.equal(textAt((await callAs(viewer, '/v1/account')).json, 'environment'), 'sandbox');
});

test('whoever names live sees live and nothing else, and the other way round', async () => {
  const { json } = await callAs(viewer, '/v1/payouts?environment=live');
  assert.deepEqual(idsOf(json), [inLive.id]);
  assert.equal(textAt((await callAs(viewer, '/v1/account?environment=live')).json, 'environment'), 'live');
  assert.equal((await callAs(viewer, `/v1/payouts/${inLive.id}?environment=live`)).status, 200);
  assert.equal((await callAs(viewer, `/v1/payouts/${inLive.id}?environment=sandbox`)).status, 404);
  assert.equal((await callAs(viewer, `/v1/payouts/${inSandbox[0]?.id}?environment=live`)).status, 404);
  const [sandboxBalance, liveBalance] = [
    await callAs(viewer, '/v1/balance'),
    await callAs(viewer, '/v1/balance?environment=live'),
  ];
  assert.notEqual(textAt(sandboxBalance.json, 'usdc'), textAt(liveBalance.json, 'usdc'));
});

test('an environment that is none is refused, whatever is asked about', async () => {
  for (const what of [...ofOneEnvironment, 'keys', 'activity', 'invoices', 'members']) {
    for (const named of ['environment=production', 'environment=', 'environment=live&environment=sandbox']) {
      const answer = await callAs(viewer, `/v1/${what}?${named}`);
      assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], `${what} ${named}`);
      assert.equal(textAt(answer.json, 'error.details.fields.0.path'), 'environment');
    }
  }
});

test('what does something is not done before it is said in which environment', async () => {
  const admin = await signIn(world.database, verified, { url });
  const path = `/v1/payouts/${inSandbox[0]?.id}/cancel`;
  const answer = await callAs(admin, path, { method: 'POST' });
  assert.deepEqual([answer.status, answer.code], [422, 'invalid_request']);
});

test('a business that is not verified has no live environment to look at', async () => {
  const partner = await createSimulatedPartner(world.database);
  const admin = await signIn(world.database, partner, { url });
  for (const what of ofOneEnvironment) {
    const answer = await callAs(admin, `/v1/${what}?environment=live`);
    assert.deepEqual([answer.status, answer.code], [403, 'verification_required'], what);
  }
  for (const what of ['keys', 'activity', 'invoices'])
    assert.equal((await callAs(admin, `/v1/${what}?environment=live`)).status, 200, what);
});

test('from its approval on, a session says that there is live, and live can be asked for', async () => {
  const partner = await createSimulatedPartner(world.database);
  const admin = await signIn(world.database, partner, { url });
  // Remembered for a moment, in which the approval comes.
  assert.equal((await callAs(admin, '/v1/account?environment=live')).status, 403);
  await addLiveEnvironment(world.database, world.bank, partner);
  const session = await callAs(admin, '/v1/auth/session');
  assert.equal(valueAt(session.json, 'account.has_live'), true);
  assert.equal((await callAs(admin, '/v1/account?environment=live')).status, 200);
});

test("the next page of a person's list is of the same environment", async () => {
  const first = await callAs(viewer, '/v1/payouts?environment=sandbox&limit=1');
  const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
  assert(next !== undefined);
  const { search, pathname } = new URL(next);
  assert.equal(new URLSearchParams(search).get('environment'), 'sandbox');
  assert.deepEqual(idsOf((await callAs(viewer, pathname + search)).json), [inSandbox[0]?.id]);
});
