import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { Command } from 'commander';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createProgram } from '../../../src/app/commands/program.ts';
import { dayOf } from '../../../src/platform/london-day.ts';
import { monthEnd, monthOf } from '../../../src/platform/london-month.ts';
import { createBilledPartners } from '../../billing/billed-partners.ts';
import { createTestClock } from '../../harness/clock.ts';
import { addMembers } from '../../harness/sign-in.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { addKey } from '../../harness/partners.ts';
import { plantPayout } from '../../harness/planted-payout.ts';
import { seedDeposit } from '../../database/seed-every-table.ts';
import { asSecondPerson, kelpieAdmin } from './kelpie-admin.ts';
import { plantBalanceCase } from './planted-case.ts';
import { createAnchorFile } from '../../recovery/restoring.ts';
import { digestWholeDatabase } from './whole-database.ts';

// Every command there is, in one table each for those that look and those that act: a new one has to be put into it. Nothing
// else runs on this database, so that what a command changes is all that changes.

const database = await createTestDatabase();
const clock = createTestClock();
const now = new Date();
const period = monthOf(now);
// This month is over for the commands, whatever day it is.
clock.move(monthEnd(period).getTime() - now.getTime() + 60 * 60_000);

const [partnerEnvironment] = await createBilledPartners(database, 1, now);
assert(partnerEnvironment !== undefined);
const slug = `p-${partnerEnvironment.partnerId.slice(-12)}`;
const returned = await plantPayout(database, partnerEnvironment, 'returned');
const completed = await plantPayout(database, partnerEnvironment, 'completed');
const { keyId } = await addKey(database, partnerEnvironment);
const jobId = randomUUID();
const depositId = await asAdmin(database.superuserUrl, async (client) => {
  await client.query(
    `insert into kelpie.partner_environments (partner_id, environment, created_at, rail) values ($1, 'sandbox', now(), 'simulated')`,
    [partnerEnvironment.partnerId],
  );
  await client.query(
    `insert into kelpie.verifications (id, partner_id, state, started_at, changed_at, asked_at)
     values ('kyc-1', $1, 'in_review', now(), now(), now())`,
    [partnerEnvironment.partnerId],
  );
  const failure = { name: 'JobFailed', message: 'DatabaseError 23505', stack: 'file:///send.ts:1:2' };
  await client.query(
    `insert into pgboss.job (id, name, state, data, retry_count, retry_limit, started_on, completed_on, output)
     values ($1, 'send-mail', 'failed', '{"mailId": "m-1"}', 3, 3, now(), now(), $2)`,
    [jobId, failure],
  );
  await seedDeposit(client, partnerEnvironment);
  const { rows } = await client.query<{ id: string }>('select id from kelpie.deposits limit 1');
  return rows[0]?.id ?? '';
});

const caseId = await plantBalanceCase(database, partnerEnvironment);

// Who has lost every passkey.
await addMembers(database, partnerEnvironment.partnerId, ['lost@people.test']);

const why = ['--reason', 'a test'];
const bill = (reference: string): string[] => ['--cost', '10.00', '--bank-reference', reference];

const correction = [caseId, '--book', 'bank-to-suspense', '--amount', '0.01', '--revision', '1', ...why];

/** By another person, so that the one who runs the commands here can approve or reject it. */
async function proposeCorrection(): Promise<string> {
  const proposed = await kelpieAdmin(database, ['cases', 'correct', ...correction, '--json'], {
    ...asSecondPerson(database),
    KELPIE_TEST_CLOCK_FILE: clock.file,
  });
  return textAt(proposed.data(), 'id');
}

const correctionProposal = await proposeCorrection();
const otherProposal = await proposeCorrection();

const blockId = await asAdmin(database.superuserUrl, async (client) => {
  const { rows } = await client.query<{ id: string }>(
    `select kelpie.add_payment_block('debt', null, $1, null, 'a test', now(), 'test') as id`,
    [partnerEnvironment.partnerId],
  );
  return rows[0]?.id ?? '';
});

/** The rest of the one invoice, as the bank lists it. */
const today = dayOf(new Date(monthEnd(period).getTime() + 60 * 60_000));
const transfers = join(mkdtempSync(join(tmpdir(), 'kelpie-transfers-')), 'transfers.csv');
writeFileSync(transfers, `date,amount,reference,transfer_id\r\n${today},14.00,Invoice KP-000001,FP-2\r\n`);
after(() => rmSync(dirname(transfers), { recursive: true }));

/** In an order in which each has something to do. */
const acts: Readonly<Record<string, readonly string[]>> = {
  'partners create': ['--slug', 'new-one', '--name', 'New One'],
  'partners verify': [slug],
  'partners suspend': [slug, ...why],
  'partners activate': [slug, ...why],
  'partners screening': [slug, '--result', 'review', ...why],
  'partners freeze': [slug, ...why],
  'partners unfreeze': [slug, ...why],
  'members restore': [slug, 'ada@people.test', ...why],
  'members reset-passkeys': [slug, 'lost@people.test', ...why],
  'people export': ['ada@people.test', ...why],
  'people erase': [completed.id, ...why],
  'partners limits': [slug, '--factor', '3', ...why],
  'sessions end': ['--all', slug, ...why],
  'plans create': ['volume-1', '--payout', '0.80+0.80%', ...why],
  'partners price-plan': [slug, '--plan', 'volume-1', ...why],
  'api-keys revoke': [keyId, ...why],
  'encryption-keys rotate': why,
  'payouts refresh': [completed.id],
  'rails pause': ['--rail', 'provider_production', ...why],
  'rails resume': [blockId, ...why],
  'limits set': [slug, '--highest', '40000.00', ...why],
  'exceptions return': [returned.id, ...bill('BR-1')],
  'exceptions recall': [completed.id, ...bill('BR-2')],
  'exceptions trace': [completed.id, ...bill('BR-3')],
  'jobs retry': [jobId],
  'invoices run': ['--period', period],
  'invoices void': ['KP-000001', ...why],
  'invoices pay': ['KP-000001', '--amount', '1.00', '--received', today, '--bank-reference', 'FP-1'],
  'invoices match': [transfers],
  'partners close': ['new-one', ...why],
  'reconcile run': [],
  'cases correct': correction,
  'approvals approve': [correctionProposal],
  'cases close': [caseId, '--act', 'corrected', ...why],
  'approvals reject': [otherProposal, ...why],
  'status open': ['--title', 'A test', '--components', 'api', '--impact', 'degraded', '--text', 'A test.'],
  'status update': ['--text', 'Still a test.'],
  'status resolve': ['--text', 'The test has ended.'],
  'recovery begin': why,
  'recovery import': [],
};

/** No bank is configured here, so nobody can be compared with theirs. */
const endWithOne = new Set(['reconcile run', 'recovery import']);

const looks: Readonly<Record<string, readonly string[]>> = {
  'encryption-keys status': [],
  doctor: ['--min-free', '1'],
  'partners list': [],
  'partners show': [slug],
  'sessions list': [slug],
  'api-keys list': [slug],
  'plans list': [],
  'payouts stuck': ['--older-than', '0'],
  'payouts show': [completed.id],
  'rails list': [],
  'limits show': [slug],
  'float show': [],
  'deposits list': [],
  'deposits show': [depositId],
  'exceptions list': ['--partner', slug],
  'invoices list': [],
  'invoices show': ['KP-000001'],
  'invoices verify': [],
  'reconcile show': [],
  'cases list': ['--state', 'all'],
  'cases show': [caseId],
  'approvals list': ['--all'],
  'approvals show': [correctionProposal],
  'status list': [],
  'recovery show': [],
  'ledger verify': [],
  'archive list': [],
  'archive verify': [],
  'jobs list': ['--state', 'all'],
  'jobs show': [jobId],
  'audit list': [],
  'audit verify': [],
};

/**
 * One connects as the owner, and is tested where migrations are. One acts on a log that is broken (refusals.test.ts). One
 * needs a repository of backups (recovery/drill.soak.test.ts).
 */
const others = ['migrate', 'audit begin', 'recovery drill'];

/** They search a bank, which is tested where payouts are (operator-acts.test.ts) and in recovery/import.test.ts. */
const atBank = ['payouts release', 'payouts settle', 'payouts adopt', 'recovery open'];

/** They move a month in several steps, which is tested in archive/archive.soak.test.ts. */
const ofMonths = ['archive month', 'archive return', 'archive stop'];

function leavesOf(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
}

function groupsOf(command: Command): Command[] {
  return command.commands.length === 0 ? [] : [command, ...command.commands.flatMap(groupsOf)];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

const root = createProgram({ json: false });
const leaves = leavesOf(root);
const env = {
  KELPIE_TEST_CLOCK_FILE: clock.file,
  KELPIE_HEARTBEAT_ANCHOR: createAnchorFile(),
  KELPIE_ARCHIVE: 'file:///var/lib/kelpie/archive',
  KELPIE_LEDGER_KEY: 'e5'.repeat(32),
};
const nobody = { ...env, KELPIE_OPERATOR_DATABASE_URL: database.serviceUrl };

async function countActs(): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ acts: number }>('select count(*)::int as acts from kelpie.audit_log');
    return rows[0]?.acts ?? -1;
  });
}

test('every command there is stands in one of the tables here', () => {
  const known = [...Object.keys(acts), ...Object.keys(looks), ...others, ...atBank, ...ofMonths];
  assert.deepEqual(leaves.map(([path]) => path).toSorted(), known.toSorted());
  const changing = leaves.filter(([, { options }]) => options.some(({ long }) => long === '--dry-run'));
  assert.deepEqual(
    changing.map(([path]) => path).toSorted(),
    [...Object.keys(acts), ...atBank, ...ofMonths, 'audit begin'].toSorted(),
  );
});

const imperative =
  /^(?:Approve|Book|Change|Charge|Check|Close|Create|End|Freeze|Issue|List|Migrate|Move|Open|Pause|Reactivate|Recompute|Propose|Rebuild|Reconcile|Record|Refresh|Reject|Resolve|Re-encrypt|Restore|Retry|Revoke|Set|Show|Start|Stop|Suspend|Update) [^.]+\.$/;

test('the help of every command has an imperative summary, one example of itself, and what it prints', () => {
  for (const [path, command] of leaves) {
    const help = helpOf(command);
    for (const part of ['\nExample:\n', '\nPrints:\n', '--json', `  $ kelpie-admin ${path}`])
      assert(help.includes(part), `${path} --help does not say ${part}:\n${help}`);
    assert.match(command.summary(), imperative, path);
    assert(!help.includes('(default: false)'), path);
    const widest = Math.max(...help.split('\n').map((line) => line.length));
    assert(widest <= 130, `${path} --help is ${widest} wide`);
  }
  for (const group of groupsOf(root)) assert.match(helpOf(group), / {2}(\$ )?kelpie-admin [a-z-]+ /, group.name());
});

test('every command that changes something offers to be tried first', () => {
  for (const [path, { options }] of leaves) {
    if (path in acts)
      assert(
        options.some(({ long }) => long === '--dry-run'),
        path,
      );
  }
});

for (const [path, args] of Object.entries(acts)) {
  const line = [...path.split(' '), ...args, '--json'];
  const end = endWithOne.has(path) ? 1 : 0;
  test(`${path}: without an operator it does nothing, tried it changes nothing, and done it leaves one row`, async () => {
    const before = await digestWholeDatabase(database);
    const nameless = await kelpieAdmin(database, line, nobody);
    assert.equal(nameless.code, 2, nameless.said);
    assert.equal(textAt(nameless.json(), 'error.code'), 'operator_required');
    const tried = await kelpieAdmin(database, [...line, '--dry-run'], env);
    assert.equal(tried.code, end, tried.said);
    assert.deepEqual([valueAt(tried.data(), 'dry_run'), valueAt(tried.data(), 'audit')], [true, null]);
    assert.deepEqual(await digestWholeDatabase(database), before);
    const rows = await countActs();
    const done = await kelpieAdmin(database, line, env);
    assert.equal(done.code, end, done.said);
    assert.equal(await countActs(), rows + 1);
    assert.equal(textAt(done.data(), 'audit.seq'), String(rows + 1));
    assert.notDeepEqual(await digestWholeDatabase(database), before);
  });
}

/** Nothing was ever booked for the payouts that are planted here, and no worker runs. */
const findsDifferences = new Set(['doctor', 'ledger verify']);

for (const [path, args] of Object.entries(looks)) {
  test(`${path}: it prints for people and for programs, and changes nothing`, async () => {
    const before = await digestWholeDatabase(database);
    const line = [...path.split(' '), ...args];
    const end = findsDifferences.has(path) ? 1 : 0;
    const people = await kelpieAdmin(database, line, env);
    assert.equal(people.code, end, people.said);
    assert(people.said.trim().length > 10, people.said);
    const programs = await kelpieAdmin(database, [...line, '--json'], env);
    assert.equal(programs.code, end, programs.said);
    assert(typeof programs.data() === 'object' && programs.data() !== null, programs.said);
    assert.deepEqual(await digestWholeDatabase(database), before);
  });
}
