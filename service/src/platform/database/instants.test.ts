import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createLogger } from '../logging.ts';
import { openPool } from './pool.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
after(async () => pool.end());

async function read(text: string): Promise<unknown> {
  const { rows } = await pool.query<{ at: unknown }>('select $1::timestamptz as at', [text]);
  return rows[0]?.at;
}

test('an instant comes back as it went in, to the millisecond, in whatever zone it was said', async () => {
  for (const at of [
    '2026-11-15T07:00:00Z',
    '2026-11-15T07:00:00.1Z',
    '2026-03-29T01:30:00.123Z',
    '1970-01-01T00:00:00Z',
  ])
    assert.deepEqual(await read(at), new Date(at), at);
  assert.deepEqual(await read('2026-07-01 12:00:00+05:30'), new Date('2026-07-01T06:30:00Z'));
  // What is finer than a millisecond is cut off.
  assert.deepEqual(await read('2026-11-15 07:00:00.123999+00'), new Date('2026-11-15T07:00:00.123Z'));
});

test('what is no point in time is refused, not taken for one', async () => {
  for (const text of ['-infinity', 'infinity', '0044-03-15 12:00:00+00 BC'])
    await assert.rejects(read(text), /an instant of a form/);
});
