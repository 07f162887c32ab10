import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { balanceOf, openRounds, startFundingWorld } from '../funding/topping-up.ts';
import { formatExactUsdc } from '../../src/money/amounts.ts';
import { passTime } from '../harness/clock.ts';
import { createPayout } from '../harness/client.ts';
import { correctCase } from '../../src/reconciliation/index.ts';
import { createAuditChain } from '../../src/platform/audit/chain.ts';
import { writeAct } from '../../src/platform/audit/write-act.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { findLeaks } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { testSecrets } from '../harness/secrets.ts';
import { untilQuiet } from '../harness/waits.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { listCasesOf, openReconciling, passCutOff } from './reconciling.ts';

const world = await startFundingWorld({ settleAfterMs: 100 });
const { bank, database } = world;
const reconcile = openReconciling(world);
const round = await openRounds(database);
const silent = createLogger('test', 'silent');
const cent = 10_000n;
const dayMs = 24 * 60 * 60_000;

async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return kelpieAdmin(database, args, {
    KELPIE_TEST_CLOCK_FILE: world.clock.file,
    KELPIE_SANDBOX_BANK_URL: bank.wireUrl,
    KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey,
    ...more,
  });
}

async function approve(proposalId: string): Promise<CommandResult> {
  return run(['approvals', 'approve', proposalId, '--json'], asSecondPerson(database));
}

/** A login that is no operator's. */
const nobody = { KELPIE_OPERATOR_DATABASE_URL: database.serviceUrl };

/** A partner whose wallet at the bank holds a cent more than our books say, and the case of that. */
async function offByACent(): Promise<{ partner: TestPartner; caseId: string }> {
  const partner = await world.addPartner();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: Number(cent) });
  assert.equal((await reconcile(partner)).state, 'differences');
  const [one] = await listCasesOf(database, partner);
  assert(one !== undefined);
  return { partner, caseId: one.id };
}

async function countActs(): Promise<{ acts: number; entries: number; steps: number }> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ acts: number; entries: number; steps: number }>(
      `select (select count(*)::int from kelpie.audit_log) as acts, (select count(*)::int from kelpie.ledger_entries) as entries,
         (select count(*)::int from kelpie.case_history) as steps`,
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

// The first two run before any partner differs: a run waits a second between its looks at each balance that does.
async function countRuns(): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ runs: number }>(
      `select count(*)::int as runs from kelpie.reconciliations where asked_by = 'schedule' and finished_at is not null`,
    );
    return rows[0]?.runs ?? 0;
  });
}

test('the job compares every day', async () => {
  for (const days of [1, 2]) {
    await passTime(world, dayMs);
    await round('reconcile');
    await eventually('it has compared', async () => (await countRuns()) >= days, 60_000);
  }
});

test('shown without an id is the newest run of all partners that left nothing out', async () => {
  const whole = await run(['reconcile', 'run', '--json']);
  const day = new Date(textAt(whole.data(), 'run.cut_off')).toISOString().slice(0, 10);
  for (const part of [
    ['--partner', world.partner.partnerId],
    ['--from', day],
  ])
    assert.equal((await run(['reconcile', 'run', ...part])).code, 0);
  const shown = await run(['reconcile', 'show', '--json']);
  assert.equal(textAt(shown.data(), 'id'), textAt(whole.data(), 'run.id'));
  const future = await run(['reconcile', 'run', '--from', '2999-01-01']);
  assert.deepEqual([future.code, /--from is too recent/.test(future.said)], [2, true], future.said);
});

test('a run by hand compares, says what it found, and ends with 1; shown, it has each environment and the totals', async () => {
  const partner = await world.addPartner();
  assert.equal((await createPayout({ url: world.api.url, key: partner.key })).status, 201);
  await untilQuiet(database);
  await passCutOff(world);
  const clean = await run(['reconcile', 'run', '--partner', partner.partnerId]);
  assert.equal(clean.code, 0, clean.said);
  assert.match(clean.said, /clean[^]*1 transfer and 0 deposits/);
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: Number(cent) });
  const tried = await run(['reconcile', 'run', '--partner', partner.partnerId, '--dry-run', '--json']);
  assert.deepEqual([tried.code, valueAt(tried.data(), 'state')], [1, 'differences'], tried.said);
  assert.deepEqual(await listCasesOf(database, partner), []);
  const found = await run(['reconcile', 'run', '--partner', partner.partnerId]);
  assert.deepEqual([found.code, (await listCasesOf(database, partner)).length], [1, 1], found.said);
  const [, id = ''] = /Run (\S+): differences/.exec(found.said) ?? [];
  const shown = await run(['reconcile', 'show', id]);
  assert.match(shown.said, /differences[^]*ada@kelpie\.example[^]*only partner \S+[^]*all 1 +sandbox/);
  const reported = (await run(['reconcile', 'show', id, '--json'])).data();
  const [total, partnerEnvironment] = listAt(reported, 'environments');
  assert.deepEqual([valueAt(total, 'partner'), textAt(partnerEnvironment, 'differences')], [null, '1']);
  assert.equal(
    BigInt(textAt(partnerEnvironment, 'bank_micro_usdc')) - BigInt(textAt(partnerEnvironment, 'ours_micro_usdc')),
    cent,
  );
});

test('a case closes with a reason, a name and the act that settled it, and that is in the log', async () => {
  const { caseId } = await offByACent();
  const done = ['cases', 'close', caseId, '--act', 'corrected', '--reason', 'the bank knows'];
  assert.notEqual((await run(['cases', 'close', caseId, '--act', 'none'])).code, 0);
  assert.notEqual((await run(['cases', 'close', caseId, '--reason', 'no'])).code, 0);
  assert.equal((await kelpieAdmin(database, done, nobody)).code, 2);
  for (const act of ['none', 'corrected', 'released', 'settled', 'adopted'])
    await assertRefused(run(['cases', 'close', caseId, '--act', act, '--reason', 'no', '--json']), 'act_not_done');
  assert.equal((await correctNow(caseId, 'bank-to-suspense', '0.01')).code, 0);
  const before = await countActs();
  const tried = await run([...done, '--dry-run']);
  assert.equal(tried.code, 0, tried.said);
  assert.deepEqual(await countActs(), before);
  const closed = await run(done);
  assert.equal(closed.code, 0, closed.said);
  assert.deepEqual(await countActs(), { ...before, acts: before.acts + 1, steps: before.steps + 1 });
  const shown = await run(['cases', 'show', caseId]);
  assert.match(shown.said, /closed[^]*closed by ada@kelpie\.example, act corrected: the bank knows/);
  const again = await run(done);
  assert.equal(again.code, 2);
  assert.match(again.said, /already closed/);
});

test('a closed difference stays closed while it is the very same; a balance opens a new case for as long as it differs', async () => {
  const partner = await world.addPartner();
  assert.equal((await createPayout({ url: world.api.url, key: partner.key })).status, 201);
  await untilQuiet(database);
  await bank.control(`/wallets/${partner.walletId}/stray-transfer`);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).differences, 2);
  const found = await listCasesOf(database, partner);
  const balance = found.find(({ kind }) => kind === 'wallet_balance');
  // A cent of it is booked, and the rest left.
  assert.equal((await correctNow(balance?.id ?? '', 'bank-to-suspense', '-0.01')).code, 0);
  for (const { id } of found)
    assert.equal((await run(['cases', 'close', id, '--act', 'corrected', '--reason', 'seen'])).code, 0);
  const report = await reconcile(partner);
  assert.deepEqual([report.state, report.differences, report.known], ['differences', 2, 1]);
  const cases = await listCasesOf(database, partner);
  assert.deepEqual(
    cases.map(({ kind, state }) => [kind, state]),
    [
      ['transfer_unknown', 'closed'],
      ['wallet_balance', 'closed'],
      ['wallet_balance', 'open'],
    ],
  );
});

test('a correction is a transfer with a reason and a name, tried before; the next run then finds the difference gone', async () => {
  const { partner, caseId } = await offByACent();
  const held = await balanceOf(database, partner);
  const before = await countActs();
  const args = [
    'cases',
    'correct',
    caseId,
    '--book',
    'bank-to-wallet',
    '--amount',
    '0.01',
    '--revision',
    '1',
    '--reason',
    'interest',
  ];
  const tried = await run([...args, '--dry-run']);
  assert.equal(tried.code, 0, tried.said);
  assert.match(tried.said, /Dry run[^]*Proposed to book[^]*bank_wallet +0\.010000 USDC DR/);
  assert.deepEqual([await countActs(), await balanceOf(database, partner)], [before, held]);
  const nameless = await kelpieAdmin(database, args, nobody);
  assert.equal(nameless.code, 2);
  const proposed = await run([...args, '--json']);
  assert.equal(proposed.code, 0, proposed.said);
  assert.deepEqual(
    [await countActs(), await balanceOf(database, partner)],
    [{ ...before, acts: before.acts + 1 }, held],
  );
  const proposal = textAt(proposed.data(), 'id');
  await assertRefused(run(['approvals', 'approve', proposal, '--json']), 'second_operator_required');
  assert.equal((await run(['approvals', 'approve', proposal, '--dry-run'], asSecondPerson(database))).code, 0);
  assert.equal(await balanceOf(database, partner), held);
  assert.equal((await approve(proposal)).code, 0);
  assert.equal(await balanceOf(database, partner), held + cent);
  assert.deepEqual(await countActs(), { acts: before.acts + 2, entries: before.entries + 4, steps: before.steps + 1 });
  assert.equal((await reconcile(partner)).state, 'clean');
  const [one] = await listCasesOf(database, partner);
  assert.deepEqual([one?.state, one?.steps], ['gone', ['opened', 'corrected', 'gone']]);
  const shown = await run(['cases', 'show', caseId]);
  assert.match(
    shown.said,
    /corrected +grace@kelpie\.example: interest[^]*wallet +0\.010000 USDC CR +wallet \+0\.010000 USDC/,
  );
  assert.equal((await run(['ledger', 'verify'])).code, 0);
  assert.equal((await run(['audit', 'verify'])).code, 0);
});

async function proposeNow(caseId: string, book: string, amount: string): Promise<CommandResult> {
  const shown = await run(['cases', 'show', caseId, '--json']);
  const revision = String(valueAt(shown.data(), 'revision'));
  const args = ['cases', 'correct', caseId, '--book', book, '--amount', amount];
  return run([...args, '--revision', revision, '--reason', 'test', '--json']);
}

/** Books for a case as it is just now: one person proposes it, and another approves it. */
async function correctNow(caseId: string, book: string, amount: string): Promise<CommandResult> {
  const proposed = await proposeNow(caseId, book, amount);
  return proposed.code === 0 ? approve(textAt(proposed.data(), 'id')) : proposed;
}

async function assertRefused(command: Promise<CommandResult>, code: string): Promise<void> {
  const refused = await command;
  assert.deepEqual([refused.code, textAt(refused.json(), 'error.code')], [2, code], refused.said);
}

test('no correction makes money: it stays within what its case differs by, and what is in suspense', async () => {
  const { partner, caseId } = await offByACent();
  const held = await balanceOf(database, partner);
  const before = await countActs();
  await assertRefused(correctNow(caseId, 'suspense-to-wallet', '100'), 'suspense_short');
  await assertRefused(correctNow(caseId, 'bank-to-wallet', '0.02'), 'beyond_difference');
  await assertRefused(correctNow(caseId, 'bank-to-suspense', '-0.01'), 'beyond_difference');
  assert.deepEqual(
    [await countActs(), await balanceOf(database, partner)],
    [{ ...before, acts: before.acts + 3 }, held],
  );
  assert.equal((await correctNow(caseId, 'bank-to-suspense', '0.004')).code, 0);
  await assertRefused(correctNow(caseId, 'bank-to-suspense', '0.007'), 'beyond_difference');
  await assertRefused(correctNow(caseId, 'suspense-to-wallet', '0.005'), 'suspense_short');
  assert.equal((await correctNow(caseId, 'suspense-to-wallet', '0.004')).code, 0);
  await assertRefused(correctNow(caseId, 'suspense-to-wallet', '0.004'), 'suspense_short');
  // The next run measures what is left, and that much may be booked for the same case.
  assert.equal((await reconcile(partner)).state, 'differences');
  await assertRefused(correctNow(caseId, 'bank-to-suspense', '0.007'), 'beyond_difference');
  assert.equal((await correctNow(caseId, 'bank-to-suspense', '0.006')).code, 0);
  assert.equal((await reconcile(partner)).state, 'clean');
  await assertRefused(correctNow(caseId, 'bank-to-suspense', '0.001'), 'beyond_difference');
  assert.equal(await balanceOf(database, partner), held + 4_000n);
  assert.equal((await run(['ledger', 'verify'])).code, 0);
});

test('the same money is not corrected twice, for its transfer and for its balance', async () => {
  const partner = await world.addPartner();
  assert.equal((await createPayout({ url: world.api.url, key: partner.key })).status, 201);
  await untilQuiet(database);
  await bank.control(`/wallets/${partner.walletId}/stray-transfer`);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).differences, 2);
  const find = async (kind: string) => (await listCasesOf(database, partner)).find((one) => one.kind === kind);
  const [stray, balance] = [await find('transfer_unknown'), await find('wallet_balance')];
  assert(stray !== undefined && balance !== undefined);
  assert.equal(stray.difference, balance.difference);
  const whole = formatExactUsdc(BigInt(balance.difference ?? 0));
  const before = await countActs();
  assert.equal((await correctNow(stray.id, 'bank-to-suspense', '-1')).code, 0);
  // Either could be the rest of the other's, until the balance is compared again.
  await assertRefused(correctNow(balance.id, 'bank-to-suspense', '-1'), 'corrected_elsewhere');
  await assertRefused(correctNow(balance.id, 'bank-to-suspense', whole), 'beyond_difference');
  assert.equal((await reconcile(partner)).state, 'differences');
  const rest = formatExactUsdc(BigInt(balance.difference ?? 0) + 1_000_000n);
  assert.equal((await correctNow(balance.id, 'bank-to-suspense', rest)).code, 0);
  await assertRefused(correctNow(stray.id, 'bank-to-suspense', '-1'), 'beyond_difference');
  await reconcile(partner);
  assert.equal((await find('wallet_balance'))?.state, 'gone');
  await assertRefused(correctNow(stray.id, 'bank-to-suspense', '-1'), 'beyond_difference');
  assert.equal((await countActs()).entries, before.entries + 4);
  assert.equal((await run(['cases', 'close', stray.id, '--act', 'corrected', '--reason', 'the bank’s test'])).code, 0);
  assert.equal((await run(['ledger', 'verify'])).code, 0);
});

test('a correction that is repeated is refused, whoever lost the answer to the first', async () => {
  const { partner, caseId } = await offByACent();
  const held = await balanceOf(database, partner);
  const args = ['cases', 'correct', caseId, '--book', 'bank-to-wallet', '--amount', '0.005', '--reason', 'interest'];
  const once = [...args, '--revision', '1', '--json'];
  const [first, second] = [await run(once), await run(once)].map((proposed) => textAt(proposed.data(), 'id'));
  assert.equal((await approve(first ?? '')).code, 0);
  await assertRefused(approve(first ?? ''), 'nothing_to_do');
  await assertRefused(approve(second ?? ''), 'revision_changed');
  // What was refused because something moved is not approved later.
  await assertRefused(approve(second ?? ''), 'nothing_to_do');
  await assertRefused(run(once), 'revision_changed');
  await assertRefused(run([...args, '--revision', '7', '--json']), 'revision_changed');
  assert.equal(await balanceOf(database, partner), held + cent / 2n);
});

test('a refused correction leaves no line behind, whatever its caller makes of that', async () => {
  const { partner, caseId } = await offByACent();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -900_000 * Number(cent) });
  assert.equal((await reconcile(partner)).state, 'differences');
  assert.equal((await correctNow(caseId, 'suspense-to-wallet', '-5000')).code, 0);
  const proposed = await proposeNow(caseId, 'bank-to-wallet', '-8000');
  assert.equal(proposed.code, 0);
  const before = await countActs();
  const chain = createAuditChain(Buffer.from(testSecrets.KELPIE_AUDIT_KEY, 'hex'));
  const url = database.secondOperatorUrl;
  const operators = openPool({ url, connections: 1, applicationName: 'test', logger: silent });
  const act = { operator: 'grace@kelpie.example', action: 'case.correct', subject: caseId, detail: {} };
  const writeCommand = inTransaction(operators, 'shared', async (tx) => {
    await writeAct(tx, { chain, clock: systemClock, voucher: null }, act);
    const transferIds = [randomUUID(), randomUUID()];
    const correction = { id: caseId, proposalId: textAt(proposed.data(), 'id'), at: new Date(), transferIds };
    await correctCase(tx, correction).catch(() => undefined);
  });
  await assert.rejects(writeCommand, /rolled back/);
  await operators.end();
  assert.deepEqual(await countActs(), before);
  await assertRefused(approve(textAt(proposed.data(), 'id')), 'wallet_short');
});

test('money that is missing is booked the other way, and not out of a wallet that does not hold it', async () => {
  const partner = await world.addPartner();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -2 * Number(cent) });
  assert.equal((await reconcile(partner)).state, 'differences');
  const [{ id: caseId } = { id: '' }] = await listCasesOf(database, partner);
  await assertRefused(correctNow(caseId, 'suspense-to-wallet', '-10000.01'), 'wallet_short');
  assert.equal((await correctNow(caseId, 'bank-to-suspense', '-0.02')).code, 0);
  assert.equal((await reconcile(partner)).state, 'clean');
  for (const amount of ['0', 'x', '1e3', '0.0000001'])
    assert.equal((await correctNow(caseId, 'bank-to-suspense', amount)).code, 64);
  assert.equal((await run(['ledger', 'verify'])).code, 0);
});

test('the database refuses a correction or a closing that is not noted, and every other way to one', async () => {
  const { caseId } = await offByACent();
  const statements = [
    `select kelpie.operator_close_case('${caseId}', now(), 'none', 'sly')`,
    `select kelpie.operator_correct_case(gen_random_uuid(), '${caseId}', now(), array[gen_random_uuid()])`,
  ];
  for (const statement of statements)
    await assert.rejects(
      asAdmin(database.operatorUrl, async (operator) => operator.query(statement)),
      /not in the log/,
    );
  for (const url of [database.operatorUrl, database.serviceUrl])
    await assert.rejects(
      asAdmin(url, async (client) => client.query(`update kelpie.cases set closed_at = now(), closed_by = 'sly'`)),
      /permission denied/,
    );
});

test('no process has said a name, a code or bank details', () => {
  assert.deepEqual(findLeaks(world.processes), []);
});
