import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded } from '../funding/topping-up.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { listCasesOf, openReconciling, type CaseFacts } from './reconciling.ts';

// One partner's wallet never stands still: 25 payouts per second, at a bank that answers everything 400 ms late.

const perSecond = 25;
const lateMs = 400;
/** A busy machine reads slowly. */
const timeout = 10 * 60_000;
const world = await startFundingWorld({ settleAfterMs: 3_000 });
const { bank, database } = world;
const round = await openRounds(database);
const reconcile = openReconciling(world);

interface Paying {
  created(): number;
  stop(): Promise<void>;
}

/** Payouts at an even pace, whether the ones before are answered or not. */
function startPaying({ key }: TestPartner, amountOf: (nth: number) => string): Paying {
  const client = { url: world.api.url, key };
  const stopping = new AbortController();
  const answers: Promise<void>[] = [];
  const refused: string[] = [];
  let [created, begun] = [0, 0];
  const startedAt = performance.now();
  const pay = async (amount: string): Promise<void> => {
    const { status, text } = await createPayout(client, payoutBody({ amount_gbp: amount })).catch((error: unknown) => ({
      status: 0,
      text: String(error),
    }));
    if (status === 201) created += 1;
    else refused.push(`${status} ${text}`);
  };
  const working = (async () => {
    for (; !stopping.signal.aborted; begun += 1) {
      answers.push(pay(amountOf(begun)));
      await setTimeout(Math.max(0, startedAt + ((begun + 1) * 1_000) / perSecond - performance.now()));
    }
  })();
  return {
    created: () => created,
    async stop() {
      stopping.abort();
      await working;
      await Promise.all(answers);
      const seconds = (performance.now() - startedAt) / 1_000;
      console.log(`${created} payouts in ${seconds.toFixed(1)} s, ${(created / seconds).toFixed(1)} per second`);
      assert.deepEqual(refused, []);
    },
  };
}

/** Why runs were not whole. */
async function listTroubles(): Promise<string[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ trouble: string }>(
      'select distinct trouble from kelpie.reconciled_environments where trouble is not null',
    );
    return rows.map(({ trouble }) => trouble);
  });
}

interface Timed {
  state: string;
  differences: number;
}

async function timed(partner: TestPartner): Promise<Timed> {
  const startedAt = performance.now();
  const { state, differences, transfers } = await reconcile(partner, { everything: true });
  const seconds = Number(((performance.now() - startedAt) / 1_000).toFixed(1));
  console.log(JSON.stringify({ state, transfers, differences, seconds, troubles: await listTroubles() }));
  return { state, differences };
}

/** One with money for hours. */
async function addRich(): Promise<TestPartner> {
  const partner = await world.addPartner();
  await round('open-funding');
  const { addressId } = await untilFunded(database, partner);
  const depositId = await sendUsdc(bank, addressId, '100000.01');
  await round();
  await untilDeposit(database, depositId, 'credited');
  return partner;
}

for (const [what, amountOf] of [
  ['of many amounts', (nth: number) => `1.${String((nth * 37) % 100).padStart(2, '0')}`],
  ['of one amount', () => '1.00'],
] as const) {
  test(
    `a wallet with ${perSecond} payouts ${what} per second is compared, and a cent that is missing is found`,
    { timeout },
    async () => {
      const partner = await addRich();
      await bank.control('/faults', { on: 'any', kind: 'delay', delay_ms: lateMs });
      const paying = startPaying(partner, amountOf);
      const clean: Timed[] = [];
      let cases: CaseFacts[] = [];
      try {
        await eventually('it is busy', async () => paying.created() >= 4 * perSecond);
        clean.push(await timed(partner));
        await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -10_000 });
        await timed(partner);
        cases = (await listCasesOf(database, partner)).filter(({ state }) => state === 'open');
        await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 10_000 });
        clean.push(await timed(partner));
      } finally {
        await bank.control('DELETE /faults');
        await paying.stop();
      }
      assert.deepEqual(
        clean.map(({ state, differences }) => [state, differences]),
        [
          ['clean', 0],
          ['clean', 0],
        ],
      );
      assert.deepEqual(
        cases.map(({ kind, difference }) => [kind, difference]),
        [['wallet_balance', '-10000']],
      );
      await untilQuiet(database, { timeoutMs: timeout });
    },
  );
}

test('after all of that, everything still holds', async () => {
  await assertAllHolds(world);
});
