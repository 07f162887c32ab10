import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { kelpieEnv } from './kelpie-admin.ts';

const database = await createTestDatabase();

test('long work says that it goes on to people, and only its result to programs', async () => {
  const start = (...more: string[]) =>
    startChild({
      name: 'kelpie',
      file: 'service/src/app/cli.ts',
      args: ['invoices', 'verify', ...more],
      env: kelpieEnv(database),
    });
  const children = await asAdmin(database.superuserUrl, async (client) => {
    await client.query('begin; lock table kelpie.invoices in access exclusive mode');
    const programs = start('--json');
    const people = start();
    await eventually('it says how long it has been', async () => /\d+ s so far/.test(people.output()));
    await client.query('rollback');
    return { programs, people };
  });
  assert.equal((await children.people.exited).code, 0, children.people.output());
  assert.match(children.people.output(), /Checking invoices: \d+ s so far\n[\s\S]*Checked 0 invoices/);
  assert.equal((await children.programs.exited).code, 0, children.programs.output());
  assert.deepEqual(JSON.parse(children.programs.output()), { data: { invoices: 0, differences: [] } });
});
