import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { sqlStates } from '../../src/platform/database/sql-states.ts';
import { findBrokenSqlRules, readSqlFiles, type SqlFile } from './sql-rules.ts';

const files = readSqlFiles(path.join(projectFolder, 'service/database'));
const states: readonly string[] = Object.values(sqlStates);

function brokenBy(planted: SqlFile, listed = states): string[] {
  return findBrokenSqlRules([...files, planted], listed);
}

test('every function has one definition, and every SQLSTATE one place', () => {
  assert(files.length > 100);
  assert.deepEqual(findBrokenSqlRules(files, states), []);
});

test('a second definition of a function is named, also in another module or in a migration', () => {
  const sql = 'create or replace function kelpie.post_transfers() returns void language sql return null;';
  assert.match(
    brokenBy({ path: 'functions/billing/post_transfers.sql', sql }).join(),
    /a second definition: post_transfers/,
  );
  const inMigration = brokenBy({ path: 'migrations/0099_late.sql', sql: sql.replace('or replace ', '') });
  assert.match(inMigration.join(), /a second definition: post_transfers/);
  assert.match(inMigration.join(), /a function in a migration: post_transfers in migrations\/0099_late.sql/);
});

test('the signature that the version before still calls is no second definition', () => {
  const sql = 'create or replace function kelpie.post_transfers() returns void language sql return null;';
  assert.deepEqual(brokenBy({ path: 'functions/ledger/previous/post_transfers.sql', sql }), []);
});

function raising(state: string): SqlFile {
  const sql = `create or replace function kelpie.planted() returns void language plpgsql
    as $$ begin raise exception 'planted' using errcode = '${state}'; end $$;`;
  return { path: 'functions/ledger/planted.sql', sql };
}

test('an SQLSTATE that is raised twice, not listed, listed twice or never raised is named', () => {
  assert.match(brokenBy(raising('KP410')).join(), /raised twice: KP410 in .*refuse_illegal_transition/);
  assert.match(brokenBy(raising('KP499')).join(), /not listed: KP499/);
  assert.match(findBrokenSqlRules(files, [...states, 'KP410']).join(), /listed twice: KP410/);
  assert.match(findBrokenSqlRules(files, [...states, 'KP498']).join(), /never raised: KP498/);
});
