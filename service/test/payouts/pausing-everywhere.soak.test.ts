import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Three api processes under traffic. The commit that creates a payout reads the blocks, so a pause needs no message between
// processes, and none may go on refusing by what it remembers.

const world = await startWorld({ environment: 'live', settleAfterMs: 200 });
const { database, partner } = world;
const apis = [world.api, await world.addApi({ KELPIE_API_PORT: '0' }), await world.addApi({ KELPIE_API_PORT: '0' })];
const clients = apis.map(({ url }): Client => ({ url, key: partner.key }));
const limitMs = 1_000;
const why = ['--reason', 'a test'];

interface Answered {
  api: number;
  /** When it was asked, by the clock of this process. */
  at: number;
  status: number;
}

/** A payout every few milliseconds at each api, until it is stopped. */
function startPaying() {
  const answers: Answered[] = [];
  const stopping = new AbortController();
  const payAt = async (api: number, client: Client): Promise<void> => {
    while (!stopping.signal.aborted) {
      const at = performance.now();
      const { status } = await createPayout(client, payoutBody({ amount_gbp: '3.00' }));
      answers.push({ api, at, status });
      // Below the rate limit of the key, which all three share.
      await wait(150);
    }
  };
  const paying = Promise.all(clients.map(async (client, api) => payAt(api, client)));
  return {
    answers,
    async stop() {
      stopping.abort();
      await paying;
    },
  };
}

type Traffic = ReturnType<typeof startPaying>;

/** Every api answers so to a payout that was asked for after the instant. */
async function untilAll({ answers }: Traffic, status: number, since: number): Promise<void> {
  const isAnswered = (api: number): boolean =>
    answers.some((one) => one.api === api && one.at > since && one.status === status);
  await eventually(`${status} everywhere`, async () => clients.every((_, api) => isAnswered(api)), 30_000);
}

/** How long after the instant a payout was asked for that was still answered in another way; zero where none was. */
function lastOther({ answers }: Traffic, status: number, since: number): number {
  return Math.max(0, ...answers.filter((one) => one.status !== status).map(({ at }) => at - since));
}

async function run(args: readonly string[], env = {}): Promise<{ id: string; at: number }> {
  const done = await kelpieAdmin(database, [...args, '--json'], env);
  assert.equal(done.code, 0, done.said);
  return { id: textAt(done.data(), 'id'), at: performance.now() };
}

async function pauseAndResume(t: TestContext, scope: readonly string[], refusal: number): Promise<void> {
  const traffic = startPaying();
  await untilAll(traffic, 201, performance.now());
  const { id: block, at: pausedAt } = await run(['rails', 'pause', ...scope, ...why]);
  await untilAll(traffic, refusal, pausedAt);
  await eventually('it has been paused for longer than anything is remembered', async () => {
    return performance.now() > pausedAt + 6_000;
  });
  const stoppedMs = lastOther(traffic, refusal, pausedAt);
  const { id: proposal } = await run(['rails', 'resume', block, ...why]);
  const { at: resumedAt } = await run(['approvals', 'approve', proposal], asSecondPerson(database));
  await untilAll(traffic, 201, resumedAt);
  await eventually('it has paid for longer than the limit', async () => performance.now() > resumedAt + 2 * limitMs);
  await traffic.stop();
  const startedMs = lastOther(traffic, 201, resumedAt);
  t.diagnostic(
    `last paid ${stoppedMs.toFixed(0)} ms after the pause, last refused ${startedMs.toFixed(0)} ms after it`,
  );
  assert(stoppedMs < limitMs && startedMs < limitMs);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [] });
}

test('a rail is paused and resumed on three api processes within a second, under traffic', async (t) => {
  await pauseAndResume(t, ['--rail', 'provider_production'], 502);
});

test('a partner is paused and resumed on three api processes within a second, under traffic', async (t) => {
  await pauseAndResume(t, ['--partner', `p-${partner.partnerId.slice(-12)}`], 403);
});
