import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitStatements } from './split-statements.ts';

function sqlOf(text: string): string[] {
  return splitStatements(text).map(({ sql }) => sql);
}

test('statements are told apart by the semicolons outside comments, strings, names and bodies', () => {
  const text = `-- One; two.
create  table a (
  b text default 'x;''y', -- c; d
  "e;f" int
);
do $$ begin perform 1; end $$; do $tag$ ';' $tag$;/* g; */
select 'last'
`;
  assert.deepEqual(sqlOf(text), [
    `create table a ( b text default 'x;''y', "e;f" int )`,
    'do $$ begin perform 1; end $$',
    `do $tag$ ';' $tag$`,
    `select 'last'`,
  ]);
});

test('a comment belongs to the statement below it, or on whose last line it is', () => {
  const sources = splitStatements('select 1; -- of one\n-- of two\nselect 2;\n').map(({ source }) => source);
  assert.deepEqual(sources, ['select 1; -- of one', '\n-- of two\nselect 2;']);
});

test('a file of comments has no statements', () => {
  assert.deepEqual(sqlOf('-- Nothing.\n;\n/* here */\n'), []);
});
