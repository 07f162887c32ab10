import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { bankCalls } from '../../src/banks/index.ts';
import { payoutCalls } from '../../src/payouts/index.ts';
import { bankOf, cancelPayout, createPayout, payoutBody } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// kill -9 at every step between the first commit and the last: the points are those before and after each call to the
// database and each request to the bank, taken from the code itself. A new call has to be put in its place below, or this
// file does not compile.

type Killed = 'api' | 'worker';
/** What a process must be doing to come by a call. */
type Doing = 'creating' | 'resuming' | 'looking' | 'searching' | 'cancelling' | 'nothing that a crash could spoil';

const callsOf: Record<keyof typeof payoutCalls | keyof typeof bankCalls, Partial<Record<Killed, Doing>>> = {
  createPayout: { api: 'creating' },
  registerRecipient: { api: 'creating', worker: 'resuming' },
  sendPayment: { api: 'creating', worker: 'resuming' },
  movePayout: { api: 'creating', worker: 'resuming' },
  findPayout: { api: 'creating', worker: 'resuming' },
  takeOpen: { worker: 'resuming' },
  findPayment: { worker: 'looking' },
  giveBack: { worker: 'looking' },
  listPayments: { worker: 'searching' },
  cancelPayment: { api: 'cancelling' },
  // Reads that nothing hangs on, and hints that the bank sends again.
  findRate: { api: 'nothing that a crash could spoil' },
  findClaim: { api: 'nothing that a crash could spoil' },
  listPayouts: { api: 'nothing that a crash could spoil' },
  hint: { api: 'nothing that a crash could spoil' },
  keepUnmatched: { api: 'nothing that a crash could spoil' },
  takeUnmatched: { worker: 'nothing that a crash could spoil' },
  dropUnmatched: { worker: 'nothing that a crash could spoil' },
};

/** Each kill meets so many payouts at the very same point: 20 in all, unless a longer run is asked for. */
const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const payoutsAKill = Number(process.env['CRASH_PAYOUTS'] ?? 20);
const leaseOverMs = 10_000;
const day = 24 * 3_600_000;

const clock = createTestClock();
const world = await startWorld({ settleAfterMs: 100, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });

function pointsOf(doing: Doing, process: Killed): string[] {
  const named: Record<string, string> = {
    ...Object.fromEntries(Object.entries(payoutCalls).map(([call, { name }]) => [call, `database.${name}`])),
    ...Object.fromEntries(Object.entries(bankCalls).map(([call, name]) => [call, `bank.${name}`])),
  };
  return Object.entries(callsOf)
    .filter(([, processes]) => processes[process] === doing)
    .flatMap(([call]) => [`${named[call]}.before`, `${named[call]}.after`]);
}

const crashAt = (point: string, arrivals = payoutsAKill) => ({ KELPIE_TEST_CRASH_AT: `${point}*${arrivals}` });
const client = () => ({ url: world.api.url, key: world.partner.key });
const newKeys = (count = payoutsAKill): string[] => Array.from({ length: count }, () => randomUUID());

/** A recipient that the bank does not know yet, the same for the same key. */
function bodyFor(key: string): Record<string, unknown> {
  return payoutBody({}, bankOf(`${Number.parseInt(key.slice(0, 6), 16) % 1e7}1`.padStart(8, '7')));
}

/** As a partner whose connection broke would: with the same keys, until it is told. */
async function askAgain(keys: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(keys.map(async (key) => createPayout(client(), bodyFor(key), key)));
  for (const { status, text } of answers) assert([200, 201].includes(status), `${status} ${text}`);
  return answers.map(({ id }) => id);
}

async function killed(child: { exited: Promise<{ signal: NodeJS.Signals | null }> }): Promise<void> {
  assert.equal((await child.exited).signal, 'SIGKILL', 'the process was not killed at the point');
}

/** Sends orders to an api that dies on them. */
async function orderAndDie(point: string, keys: readonly string[]): Promise<void> {
  const api = await world.restartApi(crashAt(point, keys.length));
  const answers = await Promise.allSettled(keys.map(async (key) => createPayout(client(), bodyFor(key), key)));
  await killed(api);
  assert(
    answers.every(({ status }) => status === 'rejected'),
    'somebody was answered by a process that was killed',
  );
}

async function recover(keys: readonly string[]): Promise<void> {
  await world.restartApi();
  clock.move(leaseOverMs);
  const acknowledged = await askAgain(keys);
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged });
}

for (const point of pointsOf('creating', 'api')) {
  test(`an api killed at ${point} leaves every payout to happen once or not at all`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const keys = newKeys();
      await orderAndDie(point, keys);
      await recover(keys);
    }
  });
}

test('faults 3: of 1,000 payouts whose api was killed after the bank accepted them and before it wrote that, none is paid twice and none is lost', async () => {
  for (let kill = 0; kill < 20; kill += 1) {
    const keys = newKeys(50);
    await orderAndDie('bank.send_payment.after', keys);
    clock.move(leaseOverMs);
    await world.restartApi();
    await askAgain(keys);
  }
  await untilQuiet(world.database, { timeoutMs: 60_000 });
  const { payments } = await world.bank.record();
  assert(payments.length >= 1_000);
  await assertAllHolds(world);
});

/** Payouts that an api left right after its first commit. */
async function leaveSending(keys: readonly string[]): Promise<void> {
  await world.worker?.stop();
  await orderAndDie('database.create_payout.after', keys);
  await world.restartApi();
}

for (const point of pointsOf('resuming', 'worker')) {
  test(`a worker killed at ${point} leaves every payout to the next one`, async () => {
    // A sweep that finds nothing also takes: the point counts once for all that it took.
    const arrivals = point.includes('take_open') ? 1 : payoutsAKill;
    for (let kill = 0; kill < kills; kill += 1) {
      const keys = newKeys();
      await leaveSending(keys);
      clock.move(leaseOverMs);
      await killed(await world.restartWorker(crashAt(point, arrivals)));
      await world.restartWorker();
      await recover(keys);
    }
  });
}

for (const point of pointsOf('looking', 'worker')) {
  test(`a worker killed at ${point}, while it looks what became of a payment, leaves it to the next one`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      await world.worker?.stop();
      const keys = newKeys();
      const answers = await Promise.all(keys.map(async (key) => createPayout(client(), bodyFor(key), key)));
      // Held in review, the bank has nothing new to say: what is looked at is given back as it was.
      const held = point.includes('give_back');
      const transfers = (await world.bank.record()).payments.slice(-payoutsAKill);
      if (held)
        for (const { transfer_id: id } of transfers)
          await world.bank.control(`/transfers/${id}/hold`, { state: 'in_review' });
      clock.move(5 * 60_000);
      await killed(await world.restartWorker(crashAt(point)));
      if (held) for (const { transfer_id: id } of transfers) await world.bank.control(`/transfers/${id}/release`);
      await world.restartWorker();
      clock.move(5 * 60_000);
      await untilQuiet(world.database);
      await assertAllHolds({ ...world, acknowledged: answers.map(({ id }) => id) });
    }
  });
}

for (const point of pointsOf('searching', 'worker')) {
  test(`a worker killed at ${point}, while it searches the bank's list a day later, sends nothing again`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      await world.worker?.stop();
      const keys = newKeys();
      await orderAndDie('bank.send_payment.after', keys);
      clock.move(day);
      await killed(await world.restartWorker(crashAt(point)));
      await world.restartWorker();
      await recover(keys);
    }
  });
}

for (const point of pointsOf('cancelling', 'api')) {
  test(`an api killed at ${point} leaves a payout cancelled, or on its way, and says which when asked again`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const keys = newKeys();
      await world.restartApi(crashAt(point));
      await world.worker?.stop();
      const ids = await askAgain(keys);
      const transfers = (await world.bank.record()).payments.slice(-payoutsAKill);
      for (const { transfer_id: id } of transfers) {
        // One that has settled already can't be stopped any more, and that is as good an end.
        await world.bank.control(`/transfers/${id}/hold`, { state: 'awaiting_funds' }).catch(() => undefined);
      }
      await Promise.allSettled(ids.map(async (id) => cancelPayout(client(), id)));
      await killed(world.api);
      await world.restartApi();
      await world.restartWorker();
      const again = await Promise.all(ids.map(async (id) => cancelPayout(client(), id)));
      for (const { status, text } of again) assert([200, 409].includes(status), `${status} ${text}`);
      clock.move(5 * 60_000);
      await untilQuiet(world.database);
      await assertAllHolds({ ...world, acknowledged: ids });
    }
  });
}
