import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { assertAllHolds, countStates } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

const clock = createTestClock();
// Without webhooks the worker has to ask the bank itself, with the same order as the api.
const world = await startWorld({
  settleAfterMs: 24 * 3_600_000,
  withoutWebhooks: true,
  env: { KELPIE_TEST_CLOCK_FILE: clock.file },
});
const client = { url: world.api.url, key: world.partner.key };
const payoutsARound = 50;
const wanted = 500;
const mostRounds = 30;

interface Raced {
  /** Those that the worker found at the bank, or sent again, while the api waited for the bank's answer. */
  raced: number;
  /** Those for which more than one answer of the bank's was recorded. */
  doubled: number;
}

async function countRaced(ids: readonly string[]): Promise<Raced> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Raced>(
      `select count(*) filter (where tries > 1 or was_found)::int as raced,
         count(*) filter (where accepted <> 1)::int as doubled
       from (
         select max(attempt) as tries, count(*) filter (where what = 'bank_accepted') as accepted,
           bool_or(what = 'bank_accepted' and by = 'worker') as was_found
         from kelpie.payout_history where payout_id = any ($1::uuid[]) group by payout_id
       ) as payouts`,
      [ids],
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

/** The lease of all of them ends while the bank still owes the api its answers: the worker takes them over. */
async function race(round: number): Promise<ApiAnswer[]> {
  const delays = Array.from({ length: payoutsARound }, (_, at) => 1_200 + ((at * 37 + round * 53) % 1_400));
  for (const delay_ms of delays)
    await world.bank.control('/faults', { on: 'transfer.create', kind: 'delay_reply', delay_ms, times: 1 });
  const asked = Promise.all(delays.map(async () => createPayout(client, payoutBody(), randomUUID())));
  await eventually('all of them are being sent', async () => {
    const { sending = 0 } = await countStates(world.database);
    return sending >= payoutsARound * 0.8;
  });
  clock.move(9_000);
  const answers = await asked;
  await world.bank.control('DELETE /faults');
  return answers;
}

test('faults 5: api and worker that race for the same payout, 500 times: one bank payment, one second commit, and both tell the same', async () => {
  // The bank must know the recipient, so that only the order itself is raced for.
  const first = await createPayout(client);
  const answers: ApiAnswer[] = [first];
  let counted: Raced = { raced: 0, doubled: 0 };
  for (let round = 0; counted.raced < wanted; round += 1) {
    assert(round < mostRounds, `only ${counted.raced} of ${answers.length} were raced for`);
    answers.push(...(await race(round)));
    counted = await countRaced(answers.map(({ id }) => id));
  }
  assert.equal(counted.doubled, 0, 'more than one second commit');
  for (const { id, status, payout, text } of answers) {
    assert.deepEqual([status, payout], [201, 'processing'], text);
    assert.equal((await getPayout(client, id)).payout, 'processing');
  }
  const { payments } = await world.bank.record();
  assert.equal(payments.length, answers.length);
  for (const { transfer_id: id } of payments) await world.bank.control(`/transfers/${id}/settle`);
  clock.move(5 * 60_000);
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: answers.map(({ id }) => id) });
});
