import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { readMetric } from '../harness/metrics.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Two partners pay at one sandbox bank at a steady rate. The one asks the bank for bad answers, the other must not notice.

const world = await startWorld();
const clientOf = ({ key }: { key: string }): Client => ({ url: world.api.url, key });
const trouble = world.partner;
const quiet = await world.addPartner();

const everyMs = 125;
const perPhase = 40;

interface Sent {
  status: number;
  ms: number;
}

/** One after the other's beginning, whatever becomes of those before: a slow answer must not thin out the traffic. */
async function sendSteadily(client: Client): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  for (let count = 0; count < perPhase; count += 1) {
    const startedAt = performance.now();
    const order = payoutBody({ reference: `Order ${1_000 + count}` });
    sent.push(createPayout(client, order).then(({ status }) => ({ status, ms: performance.now() - startedAt })));
    await wait(everyMs);
  }
  return Promise.all(sent);
}

function medianMs(sent: readonly Sent[]): number {
  return Math.round(sent.map(({ ms }) => ms).toSorted((one, two) => one - two)[Math.floor(sent.length / 2)] ?? NaN);
}

function statusesOf(sent: readonly Sent[]): string {
  const counts = Map.groupBy(sent, ({ status }) => status);
  return [...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ');
}

async function metric(name: string, labels: Record<string, string>): Promise<number | undefined> {
  const { metrics_port: port } = await world.api.waitForEvent('api.listening');
  return readMetric(`http://127.0.0.1:${String(port)}`, name, labels);
}

test("faults 87: a partner's bad bank leaves another's payouts at the same bank as they were", async (context) => {
  // The bank learns the recipient first: that is another call, which the traffic shall not depend on.
  for (const partner of [trouble, quiet])
    await eventually('a first payout is created', async () => (await createPayout(clientOf(partner))).status === 201);
  const medians: Record<string, number> = {};
  for (const answers of ['normal', 'lost', 'slow', 'refused', 'unavailable']) {
    await call(clientOf(trouble), '/v1/sandbox/bank', { method: 'POST', body: { answers, times: 100 } });
    const [own, others] = await Promise.all([sendSteadily(clientOf(trouble)), sendSteadily(clientOf(quiet))]);
    medians[answers] = medianMs(others);
    context.diagnostic(
      `${answers}: its partner ${statusesOf(own)}, median ${medianMs(own)} ms; the other ${statusesOf(others)}, median ${medianMs(others)} ms`,
    );
    assert.equal(statusesOf(others), `${perPhase} × 201`, answers);
    const expected = answers === 'refused' || answers === 'unavailable' ? 502 : 201;
    assert.equal(statusesOf(own), `${perPhase} × ${expected}`, answers);
    if (answers === 'slow') assert(medianMs(own) >= 3_900);
  }
  // A machine that is busy with other things doubles any of them: what is looked for is seconds.
  const usual = medians['normal'] ?? NaN;
  for (const [answers, ms] of Object.entries(medians))
    assert(ms < 3 * usual + 500, `${answers}: ${ms} ms, and ${usual} ms as usual`);
  await call(clientOf(trouble), '/v1/sandbox/bank', { method: 'POST', body: { answers: 'normal' } });
});

test('faults 87: the breaker stays closed, no figure and no alarm shows the bad answers, and every payout ends', async (context) => {
  await untilQuiet(world.database, { timeoutMs: 60_000 });
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query<{ partner: string; states: object }>(
      `select partner, jsonb_object_agg(state, count) as states from (
         select case partner_id when $1 then 'the other' else 'its partner' end as partner, state::text, count(*)::int
         from kelpie.payouts where reference like 'Order %' and reference <> 'Order 42' group by 1, 2
       ) counted group by 1 order by 1`,
      [quiet.partnerId],
    ),
  );
  for (const { partner, states } of rows) context.diagnostic(`${partner}: ${JSON.stringify(states)}`);
  assert.deepEqual(rows, [
    { partner: 'its partner', states: { completed: 3 * perPhase, not_created: 2 * perPhase } },
    { partner: 'the other', states: { completed: 5 * perPhase } },
  ]);
  assert.equal((await metric('kelpie_bank_breaker_open', { environment: 'sandbox' })) ?? 0, 0);
  const creation = { http_route: '/v1/payouts', http_request_method: 'POST', http_response_status_code: '502' };
  assert.equal(await metric('http_server_request_duration_seconds_count', creation), undefined);
  const said = world.processes.map((child) => child.output()).join('\n');
  assert.doesNotMatch(said, /circuit_opened|refused_by_bank/);
  await assertAllHolds({ ...world, acknowledged: [] });
});
