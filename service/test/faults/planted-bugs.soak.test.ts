import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson } from '../app/commands/kelpie-admin.ts';
import { envOf, openInDatabase, type Hole } from '../attack/hole.ts';
import { openRounds, untilFunded } from '../funding/topping-up.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startStandbyPair } from '../recovery/standby-pair.ts';
import { restoreBackup, startRecoveryWorld, takeBackup, type RecoveryWorld } from '../recovery/restoring.ts';
import { createBankClients, startBankTest, type BankTest } from './bank-test.ts';
import { judgeBankTest } from './judge.ts';
import { plantedBugs } from './planted-bugs.ts';

// Whether the judge of the fault tests can fail: each bug is planted, and must be found. The same run without the bug finds
// nothing, so what was found is the bug.

// A bug is planted in a file while it is loaded, so the processes run from source.
process.env['BUILT_PROGRAMS'] = 'no';

const payoutsASecond = 10;
const acknowledgedEach = 40;
const say = (): void => undefined;

interface Tested {
  world: World;
  clock: TestClock;
  bankTest: BankTest;
}

/** One api is enough: what is raced is raced within it too. */
async function startTest(world: World, clock: TestClock, withDeposits = false): Promise<Tested> {
  const partners = [world.partner, await world.addPartner(), await world.addPartner()];
  const bankTest = startBankTest({
    world,
    urls: [world.api.url],
    clients: await createBankClients(world, partners),
    seed: 1,
    payoutsASecond,
    keyPrefix: 'planted',
    longestSeconds: 120,
    places: withDeposits ? [await untilFunded(world.database, world.partner)] : [],
    toBlock: [],
    believe502: true,
  });
  return { world, clock, bankTest };
}

async function untilAcknowledged({ bankTest }: Tested, more = acknowledgedEach): Promise<void> {
  const upto = bankTest.acknowledged() + more;
  await eventually(`${more} payouts`, async () => bankTest.acknowledged() >= upto, 60_000);
}

async function judgeTest({ world, clock, bankTest }: Tested, isBrief: boolean): Promise<string[]> {
  await bankTest.finish();
  return (await judgeBankTest({ world, clock, round: null, say, isBrief }, bankTest)).violations;
}

async function startSandboxTest(bug: Hole | null, withDeposits = false): Promise<Tested> {
  const database = await createTestDatabase();
  const clock = createTestClock();
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file, ...(bug === null ? {} : envOf(bug)) };
  const world = await startWorld({ database, env });
  if (bug !== null) await openInDatabase(database, bug);
  if (withDeposits) await (await openRounds(database))('open-funding');
  return startTest(world, clock, withDeposits);
}

function assertFound(violations: readonly string[], expected: RegExp): void {
  assert(
    violations.some((violation) => expected.test(violation)),
    `the judge found ${JSON.stringify([...new Set(violations.map((text) => text.replaceAll(/[0-9a-f-]{8,}|\d+/g, '…')))])}`,
  );
}

/** The same scenario twice: without the bug nothing is found, with it what the bug does. */
function testBug(name: keyof typeof plantedBugs, expected: RegExp, run: (bug: Hole | null) => Promise<string[]>): void {
  test(`without the bug ${name} the judge finds nothing`, async () => {
    assert.deepEqual(await run(null), []);
  });
  test(`the judge finds the planted bug ${name}`, async () => {
    assertFound(await run(plantedBugs[name]), expected);
  });
}

testBug('idempotency-claim-skipped', /^I1 /, async (bug) => {
  const tested = await startSandboxTest(bug);
  await untilAcknowledged(tested);
  return judgeTest(tested, bug !== null);
});

async function countCredits({ superuserUrl }: TestDatabase): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from kelpie.deposits where state = 'credited'`,
    );
    return rows[0]?.count ?? 0;
  });
}

testBug('credited-twice', /^I8 deposit .* is credited with/, async (bug) => {
  const tested = await startSandboxTest(bug, true);
  await eventually('deposits', async () => (tested.bankTest.tally.counts()['deposits'] ?? 0) >= 3);
  const { bank, database } = tested.world;
  const sent = async (): Promise<number> => (await bank.record()).credits.length;
  await eventually('the bank credits them', async () => (await sent()) >= 3);
  await eventually('ours too', async () => (await countCredits(database)) >= (await sent()), 60_000);
  return judgeTest(tested, bug !== null);
});

testBug('hold-released-on-time-out', /^I8 the bank paid .* and no payout of ours says so/, async (bug) => {
  const tested = await startSandboxTest(bug);
  // Fewer in a row than open the circuit breaker.
  await tested.world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_reply', times: 4 });
  await untilAcknowledged(tested);
  return judgeTest(tested, bug !== null);
});

testBug('warning-taken-for-success', /^I2 payout .* was acknowledged and is not there/, async (bug) => {
  const pair = await startStandbyPair(after);
  const clock = createTestClock();
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file, ...(bug === null ? {} : envOf(bug)) };
  const world = await startWorld({ database: pair.database, env });
  const tested = await startTest(world, clock);
  await untilAcknowledged(tested);
  await pair.cancelWaitsWithoutStandby(5_000);
  await pair.failOver();
  await untilAcknowledged(tested);
  return judgeTest(tested, bug !== null);
});

/** As an operator would: nothing is opened before all that the bank has is imported. */
async function recover(world: RecoveryWorld): Promise<void> {
  await world.moveTime(61_000);
  assert.equal((await world.admin(['recovery', 'import', '--json'])).code, 0);
  const proposed = await world.admin(['recovery', 'open', '--reason', 'imported', '--json']);
  const approval = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  assert.equal((await world.admin(approval, asSecondPerson(world.database))).code, 0);
}

const longerThanTheBankRemembersMs = 25 * 3_600_000;

/** The bank refuses a key that it has used up, so the second order does not pay. The books show that there was one. */
const orderedAgain = /^I1 order .* was paid 2 times|^I8 the bank took .*; payout .* says null/;

testBug('resent-after-restore', orderedAgain, async (bug) => {
  const world = await startRecoveryWorld();
  const { database, clock } = world;
  const tested = await startTest(world, clock);
  await untilAcknowledged(tested);
  await takeBackup(database);
  await untilAcknowledged(tested);
  await tested.bankTest.finish();
  await world.settle();
  await world.beat();
  await Promise.all([world.worker?.stop(), world.api.stop()]);
  await restoreBackup(database);
  if (bug !== null) await openInDatabase(database, bug);
  await world.restartApi();
  await world.restartWorker();
  if (bug === null) await recover(world);
  // Its idempotency keys alone would hide the bug for a day.
  await world.bank.control('/clock', { move_ms: longerThanTheBankRemembersMs });
  tested.bankTest.repeatAll();
  const violations = await judgeTest(tested, true);
  // A payout that was rebuilt has another id than its caller was told before. What must not be is a second order.
  return bug === null ? violations.filter((violation) => orderedAgain.test(violation)) : violations;
});
