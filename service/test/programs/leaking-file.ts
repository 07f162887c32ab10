// A test file that passes, while what it starts gives secrets away: in a log, beside a log, in an error and in a job.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, canaries } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';

const { SAID: said } = process.env;

async function leakEverywhere(): Promise<void> {
  const logged = JSON.stringify({ level: 'info', event: 'payout.sent', route: `/${canaries.accountNumber}` });
  const file = 'service/test/programs/leaking-file.ts';
  await startChild({ name: 'worker', file, env: { SAID: logged } }).exited;
  const printed = `pepper ${'5a'.repeat(32)}`;
  const env = { SAID: printed, KELPIE_API_KEY_PEPPER: '5a'.repeat(32) };
  await startChild({ name: 'kelpie-admin', file, env }).exited;
  const database = await createTestDatabase();
  const job = `insert into pgboss.job (name, data) values ('month-partitions', $1)`;
  await asAdmin(database.superuserUrl, async (client) => client.query(job, [{ recipient: 'Ada Canaryname' }]));
  const body = { error: { code: 'not_found', message: `No ${canaries.email}.` } };
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  await call({ url: `http://127.0.0.1:${address.port}`, key: null }, '/nowhere');
}

if (said === undefined) test('all is well', leakEverywhere);
else console.log(said);
