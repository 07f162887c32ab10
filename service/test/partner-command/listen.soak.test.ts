import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createPayout } from '../harness/client.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { readEvents } from '../events/reading.ts';
import { accept, refuse, startReceiver } from '../webhooks/receiver.ts';
import { createDesk } from './run-kelpie.ts';

const cuts = 50;
const payoutsEach = 4;
const world = await startWorld({ settleAfterMs: 100 });
const client = { url: world.api.url, key: world.partner.key };
const line = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(world.api.url).port) });
after(async () => line.close());
const receiver = await startReceiver();
const desk = createDesk({ url: `http://127.0.0.1:${line.port}`, key: world.partner.key });

async function startListening(): Promise<Child> {
  const child = desk.start('listen', '--forward', receiver.url, '--json');
  const first = await eventually('it listens', async () => child.lines().at(0) ?? false, 60_000);
  receiver.trust(textAt(JSON.parse(first), 'secret'));
  return child;
}

type Cut = (listening: Child) => Promise<Child>;

/** Each way in which it is broken, in turn. What it is then, goes on. */
const ways: Readonly<Record<string, Cut>> = {
  async killed(listening) {
    listening.kill('SIGKILL');
    await listening.exited;
    return startListening();
  },
  async 'line cut'(listening) {
    line.cut();
    return listening;
  },
  async 'line dead for a moment'(listening) {
    line.setFault({ kind: 'black-hole' });
    await wait(300);
    line.setFault({ kind: 'none' });
    line.cut();
    return listening;
  },
  async 'receiver gone for a moment'(listening) {
    await receiver.leave();
    await wait(300);
    await receiver.comeBack();
    return listening;
  },
  async 'receiver refuses for a moment'(listening) {
    receiver.answer = refuse;
    await wait(300);
    receiver.answer = accept;
    return listening;
  },
  async 'killed before the answer'(listening) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    receiver.answer = () => resolve(undefined);
    await Promise.race([promise, wait(3_000)]);
    listening.kill('SIGKILL');
    await listening.exited;
    receiver.answer = accept;
    return startListening();
  },
};

test(`listen, cut ${cuts} times: every event is forwarded, in order, none lost`, { timeout: 1_200_000 }, async (t) => {
  let listening = await startListening();
  const made: Promise<unknown>[] = [];
  const counts = new Map<string, number>();
  for (let cut = 0; cut < cuts; cut += 1) {
    for (let payout = 0; payout < payoutsEach; payout += 1) made.push(createPayout(client));
    await wait(100);
    const [name = '', way] = Object.entries(ways)[cut % Object.keys(ways).length] ?? [];
    assert(way !== undefined);
    listening = await way(listening);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  await Promise.all(made);
  await untilQuiet(world.database, { timeoutMs: 120_000 });
  const events = await eventually('two events per payout', async () => {
    const all = await readEvents(client, { limit: 200 });
    return all.length >= 2 * cuts * payoutsEach && all;
  });
  const last = Number(valueAt(events.at(-1), 'sequence'));
  await eventually('the last is there', async () => receiver.received.at(-1)?.body.sequence === last, 120_000);
  listening.kill('SIGTERM');
  assert.deepEqual(await listening.exited, { code: 0, signal: null });

  const sequences = receiver.received.map(({ body }) => body.sequence);
  const firsts = sequences.filter((sequence, at) => sequences.indexOf(sequence) === at);
  assert.deepEqual(
    firsts,
    Array.from({ length: last }, (_, at) => at + 1),
  );
  // An event that comes again is the one that was being forwarded: nothing older returns.
  assert(sequences.every((sequence, at) => at === 0 || sequence - (sequences[at - 1] ?? 0) <= 1));
  assert(sequences.every((sequence, at) => at === 0 || sequence >= (sequences[at - 1] ?? 0)));
  assert.deepEqual(
    receiver.received.map(({ body }) => body.webhook.previous_sequence),
    sequences.map((sequence) => (sequence === 1 ? null : sequence - 1)),
  );
  assert.equal(new Set(receiver.received.map(({ body }) => body.webhook.id)).size, 1);
  assert.equal(receiver.forged, 0);
  t.diagnostic(`${cuts} cuts: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`);
  t.diagnostic(
    `${last} events, ${firsts.length} forwarded in order, 0 lost, ${sequences.length - firsts.length} sent again`,
  );
});
