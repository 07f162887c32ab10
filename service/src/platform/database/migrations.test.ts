import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { folderOf } from '../../../test/database/planted-migrations.ts';
import { readMigrations, type Migration } from './migrations.ts';

function read(sql: string): Migration | undefined {
  return readMigrations(folderOf({ 'migrations/0001_one.sql': sql }, { atEnd: after }))[0];
}

test('a migration is one transaction before the deploy unless its header says otherwise', () => {
  assert.equal(read('-- A table.\ncreate table kelpie.a ();')?.runs, 'before deploy');
  assert.equal(read('-- Before deploy\ncreate table kelpie.a ();')?.runs, 'before deploy');
  const late = read('-- The column of the version before.\n-- After deploy\nalter table kelpie.a drop column b;');
  assert.equal(late?.runs, 'after deploy');
  assert.equal(late.concurrent, null);
});

test('a migration outside a transaction says what it builds, drops and validates', () => {
  const sql = `-- Outside a transaction
create unique index concurrently one on kelpie.a (b) where c = 'd;e';
create index concurrently if not exists two on kelpie.a using gin (b);
drop index concurrently if exists kelpie.three;
alter table kelpie.a validate constraint four;`;
  assert.deepEqual(read(sql)?.concurrent, [
    { kind: 'create index', index: 'one', table: 'a', isUnique: true, definition: `(b) where c = 'd;e'` },
    { kind: 'create index', index: 'two', table: 'a', isUnique: false, definition: 'using gin (b)' },
    { kind: 'drop index', index: 'three' },
    { kind: 'validate constraint', table: 'a', constraint: 'four' },
  ]);
});

const refused: [why: string, sql: string, expected: RegExp][] = [
  ['misspells a header line', '-- after the deploy\nselect', /"-- after the deploy" is not a header line/],
  ['has a header line below', 'select 1;\n-- After deploy\nselect 2', /is not a header line/],
  ['runs both before and after', '-- Before deploy\n-- After deploy\nselect', /before or after the deploy, not both/],
  [
    'does something else outside a transaction',
    '-- Outside a transaction\ncreate index one on kelpie.a (b)',
    /may only create or drop an index concurrently or validate .*create index one/,
  ],
  [
    'builds concurrently in a transaction',
    'create index concurrently one on kelpie.a (b)',
    /needs the line "-- Outside a transaction"/,
  ],
];
for (const [why, sql, expected] of refused) {
  test(`a migration that ${why} is refused`, () => {
    assert.throws(() => read(sql), expected);
  });
}
