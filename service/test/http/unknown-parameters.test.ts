import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
const partner = await createSimulatedPartner(database);
const client = { url, key: partner.key };
const admin = await signIn(database, partner, { url });

const names = {
  '{id}': partner.keyId,
  '{event_id}': partner.keyId,
  '{slug}': 'some-partner',
  '{email}': 'nobody@example.test',
};

function addressOf({ path }: Operation): string {
  return Object.entries(names).reduce((address, [name, value]) => address.replace(name, value), path);
}

async function ask({ access, method, ...operation }: Operation, query: string): Promise<ApiAnswer> {
  const path = `${addressOf({ access, method, ...operation })}?${query}`;
  return access === 'people' || access === 'admins' ? callAs(admin, path, { method }) : call(client, path, { method });
}

const hasBody = ({ described }: Operation): boolean => valueAt(described, 'requestBody') !== undefined;

for (const operation of operations.filter((one) => !hasBody(one))) {
  test(`${operation.id} refuses a parameter that it does not have`, async () => {
    // Of a person's requests, the environment is looked at before the rest.
    const answer = await ask(operation, 'limt=3&environment=sandbox');
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], answer.text);
    const fields = valueAt(answer.json, 'error.details.fields');
    assert(Array.isArray(fields) && fields.some((field) => textAt(field, 'path') === 'limt'), answer.text);
  });
}

test('requests with a body refuse an unknown parameter too', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  for (const [path, body] of [
    ['/v1/quotes?limt=3', { amount_gbp: '5.00' }],
    ['/v1/payouts?limt=3', payoutBody()],
  ] as const) {
    const answer = await call(client, path, { method: 'POST', body, headers });
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], answer.text);
  }
});

const readByKey = operations.filter(
  ({ access, method, path }) =>
    method === 'GET' && (access === 'readers' || access === 'anybody') && !/\{(id|slug)\}|statement/.test(path),
);

for (const operation of readByKey) {
  test(`${operation.id} accepts environment from a key, whatever it says`, async () => {
    for (const query of ['environment=live', 'environment=nonsense', 'environment=', 'environment=a&environment=b']) {
      const answer = await ask(operation, query);
      assert.equal(answer.status, 200, `${query}: ${answer.text}`);
    }
  });
}
