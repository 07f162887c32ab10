import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { createTestDatabase } from '../harness/database.ts';
import { dataClasses, readClassedColumns, type ClassedColumn } from './data-classes.ts';

const database = await createTestDatabase();
const classed = readClassedColumns();
const nameOf = ({ table, column }: Pick<ClassedColumn, 'table' | 'column'>): string => `${table}.${column}`;

interface Column {
  table: string;
  column: string;
  /** Whether the reading role, whose login is the most widely used, may select it. */
  is_readable: boolean;
}

const columns = await asAdmin(database.superuserUrl, async (client) => {
  const { rows } = await client.query<Column>(
    `select c.relname as table, a.attname as column, has_column_privilege('kelpie_reader', c.oid, a.attnum, 'select') as is_readable
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'kelpie'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return rows;
});

test('every column has one class in service/database/data-classes.json, and every column there exists', () => {
  const existing = columns.map(nameOf).toSorted();
  const listed = classed.map(nameOf).toSorted();
  assert.deepEqual(
    existing.filter((name) => !listed.includes(name)),
    [],
    'without a class',
  );
  assert.deepEqual(
    listed.filter((name) => !existing.includes(name)),
    [],
    'no such column',
  );
  assert.equal(new Set(listed).size, listed.length, 'a column with two classes');
});

test('docs/data-protection.md explains each class, and no other', () => {
  const text = readFileSync(path.join(projectFolder, 'docs/data-protection.md'), 'utf8');
  const section = text.split('## Classes\n')[1]?.split('\n## ')[0] ?? '';
  const explained = Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name = '']) => name);
  assert.deepEqual(explained, [...dataClasses]);
});

test('a column whose name says that it is encrypted or a digest has such a class', () => {
  for (const one of classed) {
    if (one.column.endsWith('_encrypted')) assert(['person', 'bank', 'secret'].includes(one.class), nameOf(one));
    if (/_(hmac|mac|digest)$/.test(one.column)) assert.equal(one.class, 'digest', nameOf(one));
  }
});

test('the reading role can not select a secret', () => {
  const secrets = new Set(classed.filter((one) => one.class === 'secret').map(nameOf));
  assert.deepEqual(columns.filter((column) => column.is_readable && secrets.has(nameOf(column))).map(nameOf), []);
});
