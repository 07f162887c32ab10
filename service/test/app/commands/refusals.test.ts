import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { monthEnd, monthOf } from '../../../src/platform/london-month.ts';
import { createBilledPartners } from '../../billing/billed-partners.ts';
import { createTestClock } from '../../harness/clock.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createPartners } from '../../harness/partners.ts';
import { plantPayout } from '../../harness/planted-payout.ts';
import { kelpieAdmin, kelpieEnv } from './kelpie-admin.ts';
import { digestWholeDatabase } from './whole-database.ts';

// What the command says and ends with when it can not do what was asked.

const database = await createTestDatabase();
const clock = createTestClock();
const now = new Date();
const [live] = await createBilledPartners(database, 1, now);
const [sandbox] = await createPartners(database, 1);
assert(live !== undefined && sandbox !== undefined);
const slugOf = ({ partnerId }: { partnerId: string }): string => `p-${partnerId.slice(-12)}`;
const slug = slugOf(live);
const completed = await plantPayout(database, live, 'completed');
const played = await plantPayout(database, sandbox, 'completed');
const why = ['--reason', 'a test'];
const bill = ['--cost', '10.00', '--bank-reference', 'BR-1'];
const payment = ['--amount', '1.00', '--received', '2026-12-03', '--bank-reference', 'FP-1'];
const nobody = '01a1d000-0000-7000-8000-00000000000f';

async function expectError(
  args: readonly string[],
  expected: { exit: number; code: string; says: RegExp },
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const result = await kelpieAdmin(database, [...args, '--json'], env);
  assert.equal(result.code, expected.exit, result.said);
  assert.equal(textAt(result.json(), 'error.code'), expected.code);
  assert.match(textAt(result.json(), 'error.message'), expected.says);
}

test('what is refused ends with 2, a code and a sentence, and changes nothing', async () => {
  const before = await digestWholeDatabase(database);
  const missing = { exit: 2, code: 'not_found' };
  const refused = { exit: 2, code: 'refused' };
  const nothing = { exit: 2, code: 'nothing_to_do' };
  for (const [args, expected] of [
    [['partners', 'show', 'nobody'], { ...missing, says: /No partner has the slug or id nobody/ }],
    [['payouts', 'show', nobody], { ...missing, says: /No payout has the id/ }],
    [['status', 'update', nobody, '--text', 'x'], { ...missing, says: /No incident has the id/ }],
    [['status', 'resolve', '--text', 'x'], { ...nothing, says: /No incident is open/ }],
    [['api-keys', 'list', 'nobody'], { ...missing, says: /No partner has the slug or id nobody/ }],
    [['api-keys', 'revoke', nobody, ...why], { ...missing, says: /No API key has the id/ }],
    [['payouts', 'refresh', 'x'], { ...missing, says: /No payout has the id x/ }],
    [['invoices', 'show', 'KP-000099'], { ...missing, says: /No invoice has the number or id/ }],
    [['invoices', 'pay', 'KP-000099', ...payment], { ...missing, says: /No invoice has the number or id/ }],
    [['invoices', 'void', nobody, ...why], { ...missing, says: /No invoice has the number or id/ }],
    [['invoices', 'match', '/nowhere.csv'], { ...missing, says: /There is no file/ }],
    [['invoices', 'match', 'package.json'], { exit: 2, code: 'file_wrong', says: /first line is date,amount/ }],
    [['partners', 'close', 'nobody', ...why], { ...missing, says: /No partner has the slug or id nobody/ }],
    [['jobs', 'retry', nobody], { ...missing, says: /No job has the id/ }],
    [['sessions', 'end', nobody, ...why], { ...missing, says: /No open session has the id/ }],
    [['sessions', 'end', 'x', ...why], { ...missing, says: /No open session has the id x/ }],
    [['sessions', 'end', '--all', 'nobody', ...why], { ...missing, says: /No partner has the slug or id nobody/ }],
    [['partners', 'activate', slug, ...why], { ...nothing, says: /Nothing to activate/ }],
    [['partners', 'limits', slug, '--factor', '1', ...why], { ...nothing, says: /already × 1/ }],
    [['partners', 'price-plan', slug, '--plan', 'standard-1', ...why], { ...nothing, says: /already on price plan/ }],
    [['partners', 'price-plan', slug, '--plan', 'gold', ...why], { ...missing, says: /No price plan has the id gold/ }],
    [
      ['partners', 'price-plan', slugOf(sandbox), '--plan', 'standard-1', ...why],
      { ...missing, says: /has no live environment yet/ },
    ],
    [
      ['plans', 'create', 'standard-1', ...why],
      { exit: 2, code: 'plan_taken', says: /already exists and cannot be changed/ },
    ],
    [['plans', 'create', 'gold', '--bank', '1.00+0.10%', ...why], { ...refused, says: /cannot exceed the payout fee/ }],
    [['exceptions', 'return', completed.id, ...bill], { ...refused, says: /is completed, not returned/ }],
    [['exceptions', 'recall', played.id, ...bill], { exit: 2, code: 'never_charged', says: /a sandbox payout/ }],
    [['exceptions', 'recall', nobody, ...bill], { ...missing, says: /No payout has the id/ }],
    [['invoices', 'run', '--period', monthOf(now)], { ...refused, says: /has not ended yet/ }],
    [['partners', 'create', '--slug', slug, '--name', 'Twice'], { exit: 2, code: 'slug_taken', says: /is taken/ }],
    [['partners', 'verify', slug], { ...refused, says: /--email ADDRESS/ }],
    [['limits', 'set', slug, '--highest', '50000.00', ...why], { ...nothing, says: /is already 50000\.00 GBP/ }],
    [['limits', 'show', 'nobody'], { ...missing, says: /No partner has the slug or id nobody/ }],
    [['rails', 'resume', nobody, ...why], { ...missing, says: /No block in force has the id/ }],
    [['rails', 'pause', '--partner', 'nobody-at-all', ...why], { ...missing, says: /No partner has the slug/ }],
    [['audit', 'begin', ...why], { ...nothing, says: /The audit log is already started/ }],
  ] as const)
    await expectError(args, expected);
  assert.deepEqual(await digestWholeDatabase(database), before);
});

test('a command line that is wrong ends with 64, and says what is', async () => {
  for (const [args, says] of [
    [['partners', 'suspend', slug], /required option '--reason <text>'/],
    [['partners', 'list', '--limit', '0'], /whole number from 1 to 1000/],
    [['exceptions', 'recall', completed.id, '--cost', '1', '--bank-reference', 'x'], /pounds and pence/],
    [['invoices', 'pay', 'KP-1', ...payment, '--amount', '0.00'], /pounds and pence above zero/],
    [['invoices', 'pay', 'KP-1', ...payment, '--received', '2026-02-30'], /Use a date, for example/],
    [['rails', 'pause', ...why], /Use --rail or --partner/],
    [['rails', 'pause', '--rail', 'simulated', '--partner', slug, ...why], /cannot be used with option/],
    [['payouts', 'stuk'], /unknown command 'stuk'/],
    [['jobs', 'retry', nobody, '--operator', 'ada'], /unknown option '--operator'/],
  ] as const)
    await expectError(args, { exit: 64, code: 'usage', says });
  const unsaid = await kelpieAdmin(database, ['partners']);
  assert.equal(unsaid.code, 64);
  assert.match(unsaid.said, /Usage: kelpie-admin partners/);
  const toPeople = await kelpieAdmin(database, ['partners', 'suspend', slug]);
  assert.equal(toPeople.code, 64);
  assert.match(
    toPeople.said,
    /required option '--reason <text>'[\s\S]*Run `kelpie-admin partners suspend --help` for details/,
  );
});

test('a database that is unavailable ends with 69, a wrong setting with 78, and neither shows a secret', async () => {
  const gone = 'postgres://kelpie_reader:hunter2@127.0.0.1:1/kelpie';
  await expectError(
    ['partners', 'list'],
    { exit: 69, code: 'unreachable', says: /cannot be reached/ },
    { KELPIE_READER_DATABASE_URL: gone },
  );
  await expectError(
    ['invoices', 'list'],
    { exit: 69, code: 'role_wrong', says: /role is not allowed/ },
    { KELPIE_READER_DATABASE_URL: database.operatorUrl },
  );
  const wrong = await kelpieAdmin(database, ['partners', 'list', '--json'], { KELPIE_READER_DATABASE_URL: 'hunter2' });
  assert.equal(wrong.code, 78);
  assert.equal(textAt(wrong.json(), 'error.code'), 'settings_wrong');
  assert.doesNotMatch(wrong.said, /hunter2/);
});

test('the same reference of the bank’s is charged once; the second time is refused and leaves no row', async () => {
  const charged = await kelpieAdmin(database, ['exceptions', 'recall', completed.id, ...bill, '--json']);
  assert.equal(charged.code, 0, charged.said);
  // What the bank billed, and a fifth.
  assert.equal(textAt(charged.data(), 'charged_pence'), '1200');
  const before = await digestWholeDatabase(database);
  await expectError(['exceptions', 'trace', completed.id, ...bill], {
    exit: 2,
    code: 'nothing_to_do',
    says: /BR-1 is already charged to/,
  });
  assert.deepEqual(await digestWholeDatabase(database), before);
  const listed = (await kelpieAdmin(database, ['exceptions', 'list', '--json'])).data();
  assert(Array.isArray(listed));
  assert.deepEqual(
    listed.map((one) => [textAt(one, 'kind'), textAt(one, 'payout_id'), textAt(one, 'bank_reference')]),
    [['recall', completed.id, 'BR-1']],
  );
});

test('a charge for a month that was just invoiced is refused in a sentence, and nothing is charged', async () => {
  clock.move(monthEnd(monthOf(now)).getTime() - now.getTime() + 60 * 60_000);
  const ahead = { KELPIE_TEST_CLOCK_FILE: clock.file };
  const run = await kelpieAdmin(database, ['invoices', 'run', '--period', monthOf(now)], {
    ...ahead,
  });
  assert.equal(run.code, 0, run.said);
  const before = await digestWholeDatabase(database);
  // By the clock of this command, the month is still under way.
  const late = ['exceptions', 'trace', completed.id, '--cost', '5.00', '--bank-reference', 'BR-2'];
  await expectError(late, {
    exit: 2,
    code: 'books_closed',
    says: /invoiced and closed while the command ran. Run it again/,
  });
  assert.deepEqual(await digestWholeDatabase(database), before);
  const again = await kelpieAdmin(database, late, ahead);
  assert.equal(again.code, 0, again.said);
});

test('where another operator is in the middle of an act, the second one is refused and changes nothing', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query('select from kelpie.audit_head for update');
    const before = await digestWholeDatabase(database);
    await expectError(['partners', 'suspend', slug, ...why], {
      exit: 69,
      code: 'busy',
      says: /^Locked by another operation. Nothing changed; retry.$/,
    });
    await client.query('rollback');
    assert.deepEqual(await digestWholeDatabase(database), before);
  });
});

/** On a connection of its own: a transaction sees who is at work as it was when it first looked. */
async function isWaiting(): Promise<boolean> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query(
      `select from pg_stat_activity where application_name = 'kelpie-cli' and wait_event_type = 'Lock'
         and datname = current_database()`,
    );
    return rows.length > 0;
  });
}

test('a command that is killed in the middle leaves neither the change nor a row, and the log goes on', async () => {
  const before = await digestWholeDatabase(database);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query('select from kelpie.partners where id = $1 for update', [live.partnerId]);
    const killed = startChild({
      name: 'kelpie',
      file: 'service/src/app/cli.ts',
      args: ['partners', 'suspend', slug, ...why],
      env: kelpieEnv(database),
    });
    // It has recorded the act and waits for the lock.
    await eventually('it is in the middle', async () => isWaiting());
    killed.kill('SIGKILL');
    await killed.exited;
    await client.query('rollback');
  });
  await eventually('the server has noticed', async () => {
    const tried = await kelpieAdmin(database, ['partners', 'suspend', slug, ...why, '--dry-run']);
    return tried.code === 0;
  });
  assert.deepEqual(await digestWholeDatabase(database), before);
  assert.equal((await kelpieAdmin(database, ['audit', 'verify'])).code, 0);
});

const limits = (factor: string): string[] => ['partners', 'limits', slug, '--factor', factor, ...why];

test('a log that was put back to what it was, end and all, shows by the file that acts keep outside the database', async () => {
  const anchors = path.join(path.dirname(clock.file), 'anchors');
  const env = { KELPIE_AUDIT_ANCHORS: anchors };
  assert.equal((await kelpieAdmin(database, limits('2'), env)).code, 0);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('create table public.old_head as table kelpie.audit_head'),
  );
  assert.equal((await kelpieAdmin(database, [...limits('3'), '--dry-run'], env)).code, 0);
  assert.equal((await kelpieAdmin(database, limits('4'), env)).code, 0);
  const kept = readFileSync(anchors, 'utf8').trimEnd().split('\n');
  assert.equal(kept.length, 2, 'what was only tried is not kept');
  assert.equal((await kelpieAdmin(database, ['audit', 'verify'], env)).code, 0);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `delete from kelpie.audit_log where seq = (select max(seq) from kelpie.audit_log);
       delete from kelpie.audit_head; insert into kelpie.audit_head select * from public.old_head`,
    );
  });
  assert.equal((await kelpieAdmin(database, ['audit', 'verify'], {})).code, 0, 'this is what no chain can show');
  const found = await kelpieAdmin(database, ['audit', 'verify', '--json'], env);
  assert.equal(found.code, 1);
  assert.match(JSON.stringify(valueAt(found.data(), 'differences')), /which has an anchor, is missing/);
  writeFileSync(anchors, 'nonsense\n');
  await expectError(['audit', 'verify'], { exit: 2, code: 'refused', says: /Line 1 of .* is not an anchor/ }, env);
});

/** As somebody who has the operator's password, and not the key. */
async function addJunk(): Promise<void> {
  await asAdmin(database.operatorUrl, async (client) =>
    client.query(
      `select kelpie.append_audit(h.seq + 1, now(), session_user, 'partner.limit', 'x', '{}', h.mac, sha256('a'), sha256('b'), null)
       from kelpie.lock_audit_head(null) h`,
    ),
  );
}

test('a junk row at the end stops operators until one of them goes on from it, and is found from then on', async () => {
  await addJunk();
  await expectError(limits('5'), {
    exit: 2,
    code: 'audit_broken',
    says: /Run `kelpie-admin audit verify` to see which/,
  });
  const verified = await kelpieAdmin(database, ['audit', 'verify']);
  assert.equal(verified.code, 1);
  const [, end = ''] = /Last entry: (\d+:[0-9a-f]{64})/.exec(verified.said) ?? [];
  await expectError(['audit', 'begin', ...why], { exit: 2, code: 'audit_broken', says: new RegExp(end) });
  const before = await digestWholeDatabase(database);
  const noFailpoint = ['audit', 'begin', '--after', end, ...why];
  await expectError(
    noFailpoint,
    { exit: 2, code: 'refused', says: /Use the key that wrote it/ },
    { KELPIE_AUDIT_KEY: 'e5'.repeat(32) },
  );
  assert.equal((await kelpieAdmin(database, [...noFailpoint, '--dry-run'])).code, 0);
  assert.deepEqual(await digestWholeDatabase(database), before);
  const done = await kelpieAdmin(database, noFailpoint);
  assert.equal(done.code, 0, done.said);
  // As either role.
  assert.equal((await kelpieAdmin(database, limits('5'))).code, 0);
  assert.equal(
    (await kelpieAdmin(database, ['partners', 'create', '--slug', 'after-junk', '--name', 'After'])).code,
    0,
  );
  const found = await kelpieAdmin(database, ['audit', 'verify']);
  assert.equal(found.code, 1);
  assert.match(found.said, /2 differences\.[^]*was changed[^]*continues the log after a break/);
});

test('a log that was emptied is found, stops operators, and is no new one where acts were kept elsewhere', async () => {
  const anchors = path.join(path.dirname(clock.file), 'kept');
  const env = { KELPIE_AUDIT_ANCHORS: anchors };
  assert.equal((await kelpieAdmin(database, limits('6'), env)).code, 0);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `delete from kelpie.audit_log;
       update kelpie.audit_head set seq = 0, mac = decode(repeat('00', 32), 'hex'), head_mac = null`,
    );
  });
  const found = await kelpieAdmin(database, ['audit', 'verify']);
  assert.equal(found.code, 1);
  assert.match(found.said, /is empty/);
  await expectError(limits('7'), { exit: 2, code: 'audit_broken', says: /is empty/ });
  await expectError(
    ['audit', 'begin', ...why],
    { exit: 2, code: 'audit_broken', says: /The audit log is not new/ },
    env,
  );
});
