import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createLogger } from '../logging.ts';
import { arrayLiteral } from './array-literal.ts';
import { openPool } from './pool.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
after(async () => pool.end());

async function roundTrip(type: string, values: readonly unknown[]): Promise<unknown> {
  const { rows } = await pool.query<{ back: unknown }>(`select $1::${type}[] as back`, [arrayLiteral(values)]);
  return rows[0]?.back;
}

test('whatever text goes into an array comes out of it', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0') && one.isWellFormed());
  const awkward = fc.constantFrom('', 'NULL', 'null', '"', '\\', '{}', '{a,b}', 'a,b', ' a ', "o'clock", '\\"', '\n');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.oneof(text, awkward))), async (values) => {
      assert.deepEqual(await roundTrip('text', values), values);
    }),
    { numRuns: 300 },
  );
});

test('numbers, instants, bytes and truths come out as they went in', async () => {
  assert.deepEqual(await roundTrip('bigint', [0n, -1n, 9_223_372_036_854_775_807n, null]), [
    '0',
    '-1',
    '9223372036854775807',
    null,
  ]);
  assert.deepEqual(await roundTrip('integer', [1, -2, undefined]), [1, -2, null]);
  assert.deepEqual(await roundTrip('boolean', [true, false, null]), [true, false, null]);
  const bytes = Buffer.from([0, 34, 92, 255]);
  assert.deepEqual(await roundTrip('bytea', [bytes, Buffer.alloc(0), null]), [bytes, Buffer.alloc(0), null]);
  const { rows } = await pool.query<{ same: boolean }>('select ($1::timestamptz[])[1] = $2::timestamptz as same', [
    arrayLiteral([new Date('2026-11-15T07:00:00.123Z')]),
    '2026-11-15 07:00:00.123+00',
  ]);
  assert.deepEqual(rows, [{ same: true }]);
});

test('what no column of ours has is refused', () => {
  assert.throws(() => arrayLiteral([{}]), TypeError);
  assert.throws(() => arrayLiteral([[1]]), TypeError);
});
