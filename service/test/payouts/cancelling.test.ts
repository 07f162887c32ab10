import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Bank, Payment } from '../../src/banks/index.ts';
import { cancelPayout } from '../../src/payouts/lifecycle/cancel-payout.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { createPayoutDeps } from '../harness/payout-deps.ts';
import { plantPayout } from '../harness/planted-payout.ts';

const database = await createTestDatabase();
const partner = await createSimulatedPartner(database);

async function notAsked(): Promise<never> {
  throw new Error('a cancellation asks nothing else');
}

/** The sandbox bank always gives the money back with the cancellation. This one does not. */
const cancelledWithoutRefund: Payment = {
  id: 't1',
  ourReference: null,
  pays: null,
  recipientId: null,
  state: 'cancelled',
  bankState: 'canceled',
  taken: 1_910_000n,
  refunded: null,
  failure: null,
  networkFee: null,
  returnFee: null,
};
const bank: Bank = {
  registerRecipient: notAsked,
  sendPayment: notAsked,
  findPayment: notAsked,
  findRate: notAsked,
  cancelPayment: async () => ({ kind: 'cancelled', payment: cancelledWithoutRefund }),
};

test('a cancellation whose refund the bank does not show is refused, is noted as no success, and opens a case', async () => {
  const { id } = await plantPayout(database, partner, 'processing');
  const deps = createPayoutDeps(database, { provider_sandbox: bank });
  for (let times = 0; times < 2; times += 1) {
    const caller = { ...partner, by: 'kp_sandbox_00000000', requestId: newId(systemClock) };
    await assert.rejects(cancelPayout(deps, caller, id), {
      code: 'payout_not_cancellable',
    });
  }
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ state: string; answered: number; cases: string[] }>(
      `select p.state::text, (select count(*)::int from kelpie.activity a where a.status = 200) as answered,
         (select array_agg(c.kind) from kelpie.cases c where c.payout_id = p.id) as cases
       from kelpie.payouts p where p.id = $1`,
      [id],
    ),
  );
  assert.deepEqual(rows, [{ state: 'processing', answered: 0, cases: ['cancelled_without_refund'] }]);
});
