import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { sqlStates } from '../../src/platform/database/sql-states.ts';
import { readSqlFiles, type SqlFile } from './sql-files.ts';
import { findBrokenSqlRules } from './sql-rules.ts';

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

test('no commit of money notifies: that lock is one for all commits that do', () => {
  const sql = `create or replace function kelpie.planted() returns void language sql as $$ select pg_notify('a', 'b') $$;`;
  assert.deepEqual(brokenBy({ path: 'functions/payouts/planted.sql', sql }), [
    'a commit that notifies: functions/payouts/planted.sql',
  ]);
});

/** In a migration after the baseline, on a table that grows unless it says otherwise. */
function migrating(sql: string): string {
  return brokenBy({ path: 'migrations/0099_late.sql', sql }).join();
}

test('faults 75: an index on a table that grows is refused unless it is built concurrently', () => {
  const plain = 'create index planted on kelpie.ledger_entries (cause_id);';
  assert.match(migrating(plain), /an index on ledger_entries, which grows, .*0099_late.sql/);
  assert.match(migrating(plain.replace('entries', 'entries_2026_11')), /an index on ledger_entries, which grows/);
  const unique = 'alter table kelpie.payouts add constraint planted unique (id, order_id);';
  assert.match(migrating(unique), /an index on payouts, which grows/);
  const concurrently = plain.replace('index', 'index concurrently');
  assert.equal(migrating(`-- Outside a transaction\n${concurrently}`), '');
  assert.equal(migrating(plain.replace('ledger_entries', 'partners').replace('cause_id', 'name')), '');
  const ofNewTable = `create table kelpie.planted (id uuid); comment on table kelpie.planted is '@grows';
    create index planted_one on kelpie.planted (id);`;
  assert.equal(migrating(ofNewTable), '');
});

test('squawk can be made to ignore a long lock on a small table, and not on one that grows', () => {
  const ignored =
    '-- squawk-ignore require-concurrent-index-creation\ncreate index planted on kelpie.ledger_entries (line);';
  assert.match(migrating(ignored), /a rule of squawk about long locks that is ignored on ledger_entries/);
  assert.equal(migrating(ignored.replace('ledger_entries (line)', 'partners (name)')), '');
  const check = 'alter table kelpie.payouts add constraint planted check (revision > 0);';
  assert.match(migrating(`${check} -- squawk-ignore constraint-missing-not-valid`), /long locks .* on payouts/);
  assert.match(migrating(`-- squawk-ignore\n${check}`), /long locks .* on payouts/);
  assert.equal(migrating(`-- squawk-ignore prefer-robust-stmts\n${check}`), '');
  assert.match(migrating(`-- squawk-ignore-file\n${check}`), /a whole file that squawk ignores: .*0099_late.sql/);
});
