import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { testAccounts, testSortCode } from '../../../sandbox-bank/src/test-accounts.ts';
import { failureReasons } from '../../src/payouts/model/failures.ts';
import { call, cancelPayout, createPayout, payoutBody } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

interface Documented {
  account: string;
  /** Its statuses, the first as the payout was created. */
  statuses: string[];
  failureCode: string | null;
}

const none = '—';

/** The rows of the table in the guide for partners. */
function documentedAccounts(): Documented[] {
  const page = readFileSync(`${projectFolder}/docs/partners/testing.md`, 'utf8');
  const rows = page.matchAll(/^\| `(\d{8})` \| (.+?) \| (.+?) \|/gm);
  return [...rows].map(([, account = '', statuses = '', code = '']) => ({
    account,
    statuses: [...statuses.matchAll(/`([a-z_0-9 ]+)`/g)].map(([, status = '']) => status),
    failureCode: code === none ? null : code.replaceAll('`', ''),
  }));
}

const documented = documentedAccounts();
const world = await startWorld({ settleAfterMs: 600 });
const client = { url: world.api.url, key: world.partner.key };

function payTo(account: string): object {
  return payoutBody({}, { bank: { bank_name: 'Test Bank', sort_code: testSortCode, account_number: account } });
}

async function statusesOf(id: string): Promise<string[]> {
  const { json } = await call(client, `/v1/payouts/${id}/history`);
  const steps = valueAt(json, 'steps');
  assert(Array.isArray(steps));
  const statuses = steps.map((step: unknown) => String(valueAt(step, 'status')));
  // A step can leave the status as it was: the money of a failed payout comes back.
  return statuses.filter((status, at) => status !== statuses[at - 1]);
}

test('the guide lists every test account of the bank, and no other', () => {
  assert.deepEqual(
    documented.map(({ account }) => account),
    [...testAccounts.keys()],
  );
});

test('every failure code that a payout can have is reached by a test account', () => {
  const reached = new Set(documented.flatMap(({ failureCode }) => failureCode ?? []));
  assert.deepEqual([...reached].toSorted(), Object.keys(failureReasons).toSorted());
});

for (const { account, statuses, failureCode } of documented.filter(({ statuses: all }) => all[0] !== '422'))
  test(`a payout to ${account} is ${statuses.join(', then ')} with failure code ${failureCode}`, async () => {
    const created = await createPayout(client, payTo(account));
    assert.deepEqual([created.status, created.payout], [201, statuses[0]], created.text);
    await eventually(
      `it is ${statuses.at(-1)}`,
      async () => {
        const { payout, json } = await call(client, `/v1/payouts/${created.id}`);
        return payout === statuses.at(-1) && valueAt(json, 'failure_code') === failureCode;
      },
      30_000,
    );
    assert.deepEqual(await statusesOf(created.id), statuses);
    if (statuses.at(-1) === 'processing') assert.equal((await cancelPayout(client, created.id)).payout, 'cancelled');
  });

test('an account that the bank refuses is 422, and nothing is left of the payout', async () => {
  const rejected = documented.find(({ statuses }) => statuses[0] === '422');
  const { status, code } = await createPayout(client, payTo(rejected?.account ?? ''));
  assert.deepEqual([status, code], [422, 'recipient_account_rejected']);
});

test('under another sort code, the same numbers are ordinary accounts', async () => {
  const other = { bank: { bank_name: 'Test Bank', sort_code: '040004', account_number: '10000001' } };
  const { id } = await createPayout(client, payoutBody({}, other));
  await eventually('it is completed', async () => (await call(client, `/v1/payouts/${id}`)).payout === 'completed');
});

test('the books and the bank agree after all of it', async () => {
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [] });
});
