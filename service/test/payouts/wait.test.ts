import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, cancelPayout, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { addKey } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import type { ApiProcess } from '../harness/processes.ts';
import { startWorld } from '../harness/world.ts';

// The bank settles nothing by itself: each change is one that a test makes.
const world = await startWorld({ settleAfterMs: 24 * 3_600_000 });
const client: Client = { url: world.api.url, key: world.partner.key };
/** Far below 20 s, and far above what a busy machine takes to answer. */
const atOnceMs = 10_000;

async function pay(): Promise<string> {
  const { id, payout, text } = await createPayout(client, payoutBody(), randomUUID());
  assert.equal(payout, 'processing', text);
  return id;
}

async function atBank(payoutId: string, what: string, body: object = {}): Promise<void> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [payoutId]),
  );
  await world.bank.control(`/transfers/${rows[0]?.payment}/${what}`, body);
}

const settle = async (payoutId: string): Promise<void> => atBank(payoutId, 'settle');

interface TimedAnswer extends ApiAnswer {
  tookMs: number;
}

async function timed(answer: Promise<ApiAnswer>): Promise<TimedAnswer> {
  const startedAt = performance.now();
  return { ...(await answer), tookMs: performance.now() - startedAt };
}

async function waitFor(payoutId: string, { seconds = 20, by = client } = {}): Promise<TimedAnswer> {
  return timed(call(by, `/v1/payouts/${payoutId}?wait=${seconds}`));
}

async function untilWaiting(count: number, { metricsUrl }: ApiProcess = world.api): Promise<void> {
  let last = '';
  await eventually(`${count} requests wait`, async () => {
    const figures = await (await fetch(metricsUrl)).text();
    last = /^kelpie_waiting_requests (\d+)$/m.exec(figures)?.[1] ?? '';
    return last === String(count);
  }).catch((error: unknown) => {
    throw new Error(`${last} requests wait`, { cause: error });
  });
}

test('all who wait for a payout are answered when its status changes, and those of another wait on', async () => {
  const [one, other] = [await pay(), await pay()];
  const reader = await addKey(world.database, world.partner, { scope: 'read' });
  const person = await signIn(world.database, world.partner, { url: client.url, role: 'viewer' });
  const answers = [
    ...[client, client, { ...client, ...reader }].map(async (by) => waitFor(one, { by })),
    timed(callAs(person, `/v1/payouts/${one}?wait=20`)),
  ];
  const unchanged = waitFor(other);
  await untilWaiting(5);
  await settle(one);
  for (const { status, payout, tookMs } of await Promise.all(answers))
    assert.deepEqual([status, payout, tookMs < 20_000], [200, 'completed', true]);
  await untilWaiting(1);
  await settle(other);
  assert.equal((await unchanged).payout, 'completed');
});

test('a payout that is cancelled while another request waits for it answers that request', async () => {
  const id = await pay();
  await atBank(id, 'hold', { state: 'awaiting_funds' });
  const answer = waitFor(id);
  await untilWaiting(1);
  assert.equal((await cancelPayout(client, id)).payout, 'cancelled');
  assert.equal((await answer).payout, 'cancelled');
});

test('a payout that is at its end is answered at once', async () => {
  const id = await pay();
  await settle(id);
  await eventually('it is completed', async () => (await call(client, `/v1/payouts/${id}`)).payout === 'completed');
  const { status, payout, tookMs } = await waitFor(id);
  assert.deepEqual([status, payout, tookMs < atOnceMs], [200, 'completed', true]);
});

test('when the time is over the payout is answered as it is: what it was when the request came is no change', async () => {
  // Its first event is numbered while the request waits. The time is beyond the deadline of other reads.
  const { status, payout, tookMs } = await waitFor(await pay(), { seconds: 4 });
  assert.deepEqual([status, payout, tookMs >= 3_950], [200, 'processing', true], `after ${tookMs} ms`);
  assert((await waitFor(await pay(), { seconds: 0 })).tookMs < atOnceMs);
});

test("an unknown id and another partner's are 404 at once, and a time that is none is refused", async () => {
  const id = await pay();
  const stranger = { ...client, ...(await world.addPartner()) };
  for (const [by, asked] of [
    [stranger, id],
    [client, randomUUID()],
  ] as const) {
    const { code, tookMs } = await waitFor(asked, { by });
    assert.deepEqual([code, tookMs < atOnceMs], ['not_found', true]);
  }
  await untilWaiting(0);
  for (const wrong of ['21', '-1', '1.5', '', 'x', '05', '1e1', '5&wait=5'])
    assert.equal((await call(client, `/v1/payouts/${id}?wait=${wrong}`)).code, 'invalid_request', wrong);
});

test('a caller that leaves is waited for no more', async () => {
  const id = await pay();
  const leaving = new AbortController();
  const left = fetch(`${client.url}/v1/payouts/${id}?wait=20`, {
    headers: { authorization: `Bearer ${client.key}` },
    signal: leaving.signal,
  });
  const staying = waitFor(id);
  await untilWaiting(2);
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  await untilWaiting(1);
  await settle(id);
  assert.equal((await staying).payout, 'completed');
  await untilWaiting(0);
});

test('a change while the connections that listen are gone is answered all the same', async () => {
  const id = await pay();
  const answer = waitFor(id);
  await untilWaiting(1);
  const { rowCount } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'kelpie-%-wake-ups' and datname = current_database()`),
  );
  assert.equal(rowCount, 2, 'that of the api and that of the worker');
  await settle(id);
  const { payout, tookMs } = await answer;
  assert.deepEqual([payout, tookMs < 20_000], ['completed', true]);
});

test('an api that is to stop answers all who wait at once, as the payout is, and takes no more of them', async () => {
  const api = await world.addApi({ KELPIE_DRAIN_DELAY_MS: '3000' });
  const by = { ...client, url: api.url };
  const id = await pay();
  const answers = Array.from({ length: 100 }, async () => waitFor(id, { by }));
  await untilWaiting(answers.length, api);
  const startedAt = performance.now();
  api.kill('SIGTERM');
  for (const { status, payout, headers } of await Promise.all(answers))
    assert.deepEqual([status, payout, headers.get('connection')], [200, 'processing', 'close']);
  const { status, payout } = await waitFor(id, { by });
  assert.deepEqual([status, payout], [200, 'processing'], 'one that comes after');
  assert(performance.now() - startedAt < atOnceMs);
  assert.deepEqual(await api.exited, { code: 0, signal: null });
});
