import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createSimulatedBank } from '../../src/banks/index.ts';
import { createPayout as create, type CreateDeps } from '../../src/payouts/creation/create-payout.ts';
import { createRates } from '../../src/payouts/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createVersionedDigest } from '../../src/platform/keyed-digest.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createPayoutDeps } from '../harness/payout-deps.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld({ withoutWorker: true });
const { database, bank, partner } = world;
const client = { url: world.api.url, key: partner.key };

test('a payout has the id of its request; after a refusal, that of the request that tried again', async () => {
  const key = randomUUID();
  await bank.control('/faults', { on: 'transfer.create', kind: 'reject', times: 1, code: 'invalid_parameters' });
  const refused = await createPayout(client, payoutBody(), key);
  assert.equal(refused.status, 502, refused.text);
  const made = await createPayout(client, payoutBody(), key);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.id, made.headers.get('request-id'));
  assert.notEqual(made.id, refused.headers.get('request-id'));
});

/** A bank that does not answer the first time. */
function createDeps(): CreateDeps {
  const simulated = createSimulatedBank(systemClock);
  let asked = 0;
  const silentAtFirst: typeof simulated.registerRecipient = async (order) => {
    asked += 1;
    return asked === 1 ? { kind: 'failed', text: 'silent' } : simulated.registerRecipient(order);
  };
  const deps = createPayoutDeps(database, { provider_sandbox: { ...simulated, registerRecipient: silentAtFirst } });
  const secret = randomBytes(32);
  return {
    ...deps,
    rates: createRates(deps.banks, systemClock),
    accountDigest: createVersionedDigest(new Map([[1, secret]]), 'account index'),
    bodyDigest: createVersionedDigest(new Map([[1, secret]]), 'body fingerprint'),
    confirmations: {
      ask: async () => assert.fail('a key confirms nothing'),
      given: () => assert.fail('a key confirms nothing'),
      use: async () => assert.fail('a key confirms nothing'),
    },
    notifyAdmins: async () => assert.fail('nothing asks for approval'),
    dashboardUrl: '',
  };
}

test('a request whose own attempt has its id already, and sent nothing, creates the payout under another', async () => {
  const deps = createDeps();
  const id = newId(systemClock);
  const { partnerId, environment, keyId, key } = partner;
  const request = {
    partnerId,
    environment,
    via: 'api',
    callerId: keyId,
    by: key.slice(0, 19),
    requestId: id,
    payoutId: id,
    idempotencyKey: randomUUID(),
    confirmCode: null,
    order: {
      amount: 500n,
      country: 'GB',
      reference: null,
      recipient: {
        type: 'individual',
        firstName: 'Ada',
        lastName: 'Byron',
        email: null,
        address: { line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', region: 'England' },
        bankName: 'Bank',
        sortCode: '040004',
        accountNumber: '12345678',
      },
    },
  } as const;
  await assert.rejects(create(deps, request), { code: 'payout_not_created' });
  // A worker would have ended that attempt, under an activity of its own.
  const { kind, payout } = await create(deps, { ...request, requestId: newId(systemClock) });
  assert.equal(kind, 'created');
  assert.notEqual(payout.id, id);
  await assertBooksHold(database);
});
