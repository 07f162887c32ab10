import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { bankCalls } from '../../src/banks/index.ts';
import { payoutCalls } from '../../src/payouts/index.ts';
import { bankOf, createPayout, payoutBody, type Client } from '../harness/client.ts';
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
  // Of a person who confirms: service/test/payouts/confirmations.test.ts kills there.
  createPayouts: { api: 'creating' },
  registerRecipient: { api: 'creating', worker: 'resuming' },
  sendPayment: { api: 'creating', worker: 'resuming' },
  applyTransitions: { api: 'creating', worker: 'resuming' },
  findPayout: { api: 'creating' },
  findPayouts: { worker: 'resuming' },
  claimDue: { worker: 'resuming' },
  nextDue: { worker: 'resuming' },
  findPaymentBlock: { worker: 'resuming' },
  // Asked only where a recipient was registered and that was not recorded: a read that nothing hangs on.
  findKnownRecipient: { worker: 'nothing that a crash could spoil' },
  findPayment: { worker: 'looking' },
  releaseLease: { worker: 'looking' },
  listPayments: { worker: 'searching' },
  cancelPayment: { api: 'cancelling' },
  // Asked once a payout is refused, for what its caller is told.
  isBlockedByDebt: {},
  // Reads that nothing hangs on, and webhooks that the bank sends again.
  findRate: { api: 'nothing that a crash could spoil' },
  resolveOrder: { api: 'nothing that a crash could spoil' },
  findClaim: { api: 'nothing that a crash could spoil' },
  adoptRecovered: { api: 'nothing that a crash could spoil' },
  // Of an import after a restore: test/recovery kills there.
  findOrders: {},
  findCorrectedOrders: {},
  listUnsettled: {},
  importPayout: {},
  retrieveChanged: { api: 'nothing that a crash could spoil' },
  listRevisions: { api: 'nothing that a crash could spoil' },
  retrieveVersions: { api: 'nothing that a crash could spoil' },
  listPayouts: { api: 'nothing that a crash could spoil' },
  filterPayouts: { api: 'nothing that a crash could spoil' },
  countByDay: { api: 'nothing that a crash could spoil' },
  readArchived: { api: 'nothing that a crash could spoil' },
  filterArchived: { api: 'nothing that a crash could spoil' },
  listRecipients: { api: 'nothing that a crash could spoil' },
  wake: { api: 'nothing that a crash could spoil' },
  keepUnmatched: { api: 'nothing that a crash could spoil' },
  claimUnmatched: { worker: 'nothing that a crash could spoil' },
  dropUnmatched: { worker: 'nothing that a crash could spoil' },
  // No payout hangs on it: test/partners/connect-sandbox.test.ts kills there.
  openCustomer: {},
  // No payout hangs on these, either: before a partner is verified there is none.
  startVerification: {},
  findVerification: {},
  openWallet: {},
  // Nor on these, which are about top-ups: test/funding kills there.
  openAccount: {},
  openAddress: {},
  listDeposits: {},
  transferBetweenWallets: {},
  // A read of reconciliation.
  listRecalls: {},
  // Nor on what a reconciliation reads.
  findRecord: {},
  // test/recovery kills there.
  findRecipient: {},
  readBalance: {},
};

export function pointsOf(doing: Doing, process: Killed): string[] {
  const named: Record<string, string> = {
    ...Object.fromEntries(Object.entries(payoutCalls).map(([call, { name }]) => [call, `database.${name}`])),
    ...Object.fromEntries(Object.entries(bankCalls).map(([call, name]) => [call, `bank.${name}`])),
  };
  return Object.entries(callsOf)
    .filter(([, processes]) => processes[process] === doing)
    .flatMap(([call]) => [`${named[call]}.before`, `${named[call]}.after`]);
}

/**
 * Each kill meets so many payouts at the very same point: 20 in all, unless a longer run is asked for. A call for many
 * payouts is killed with as many as happen to be in it, so that is done more often.
 */
const killsAsked = Number(process.env['CRASH_KILLS'] ?? 1);
export const payoutsAKill = Number(process.env['CRASH_PAYOUTS'] ?? 20);

const leaseOverMs = 10_000;

export function newKeys(count = payoutsAKill): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

function isOfMany(point: string): boolean {
  const { createPayouts, applyTransitions, findPayouts } = payoutCalls;
  return [createPayouts, applyTransitions, findPayouts].some(({ name }) => point.includes(`.${name}.`));
}

export function killsAt(point: string): number {
  return isOfMany(point) ? Math.max(killsAsked, 3) : killsAsked;
}

export function killAtFailpoint(point: string, arrivals = payoutsAKill): Record<string, string> {
  return { KELPIE_TEST_FAILPOINT: `${point}*${isOfMany(point) ? 1 : arrivals}` };
}

/** A recipient that the bank does not know yet, the same for the same key. */
function bodyFor(key: string): Record<string, unknown> {
  return payoutBody({}, bankOf(`${Number.parseInt(key.slice(0, 6), 16) % 1e7}1`.padStart(8, '7')));
}

export async function assertKilled(child: { exited: Promise<{ signal: NodeJS.Signals | null }> }): Promise<void> {
  assert.equal((await child.exited).signal, 'SIGKILL', 'the process was not killed at the point');
}

/** A world whose processes are killed, and what partners and operators do about it. */
export async function startCrashWorld(options: { settleAfterMs: number; withoutWebhooks?: true }) {
  const clock = createTestClock();
  const world = await startWorld({ ...options, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
  const client = (): Client => ({ url: world.api.url, key: world.partner.key });
  const ask = async (key: string): Promise<string> =>
    eventually(`${key} is told`, async () => {
      const { status, id, text } = await createPayout(client(), bodyFor(key), key);
      assert([200, 201, 409, 503].includes(status), `${status} ${text}`);
      return status < 300 && id;
    });
  /** As a partner whose connection broke would: with the same keys, again where it is told to come back, until it is told. */
  const askAgain = async (keys: readonly string[]): Promise<string[]> => Promise.all(keys.map(ask));
  /** Sends orders to an api that dies on them. */
  const orderAndDie = async (point: string, keys: readonly string[]): Promise<void> => {
    const api = await world.restartApi(killAtFailpoint(point, keys.length));
    const answers = await Promise.allSettled(keys.map(async (key) => createPayout(client(), bodyFor(key), key)));
    await assertKilled(api);
    assert(
      answers.every(({ status }) => status === 'rejected'),
      'somebody was answered by a process that was killed',
    );
  };
  const leaseIsOver = (): void => clock.move(leaseOverMs);
  /** With an api that works again, every partner is told, and all invariants hold. */
  const recover = async (keys: readonly string[]): Promise<void> => {
    await world.restartApi();
    leaseIsOver();
    const acknowledged = await askAgain(keys);
    await untilQuiet(world.database);
    await assertAllHolds({ ...world, acknowledged });
  };
  return { world, clock, client, askAgain, orderAndDie, leaseIsOver, recover };
}
