import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createAuditChain } from '../../../src/platform/audit/chain.ts';
import { decideProposal, insertProposal } from '../../../src/platform/audit/proposal-store.ts';
import { writeAct } from '../../../src/platform/audit/write-act.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../../src/platform/database/transaction.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { correctCase } from '../../../src/reconciliation/index.ts';
import { createTestClock } from '../../harness/clock.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createPartners } from '../../harness/partners.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { plantBalanceCase } from './planted-case.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from './kelpie-admin.ts';

// What frees money takes two operators: one proposes, another approves, and the database holds them to it.

const database = await createTestDatabase();
const clock = createTestClock();
const [partnerEnvironment] = await createPartners(database, 1);
assert(partnerEnvironment !== undefined);
const logger = createLogger('test', 'silent');
const open = (url: string) => openPool({ url, connections: 100, applicationName: 'test', logger, pace: 'unhurried' });
const pools = { ada: open(database.operatorUrl), grace: open(database.secondOperatorUrl) };
after(async () => {
  for (const pool of Object.values(pools)) await pool.end();
});
const audit = {
  chain: createAuditChain(Buffer.from(testSecrets.KELPIE_AUDIT_KEY, 'hex')),
  clock: systemClock,
  voucher: null,
};

type Person = keyof typeof pools;

/** What a person can do with their login and the audit key, past the command. */
async function actAs<Done>(
  person: Person,
  { action, subject }: { action: string; subject: string },
  work: (tx: Transaction) => Promise<Done>,
): Promise<Done> {
  return inTransaction(pools[person], 'shared', async (tx) => {
    await writeAct(tx, audit, { operator: `${person}@kelpie.example`, action, subject, detail: {} });
    return work(tx);
  });
}

async function run(person: Person, args: readonly string[]): Promise<CommandResult> {
  const own = person === 'grace' ? asSecondPerson(database) : {};
  return kelpieAdmin(database, [...args, '--json'], { KELPIE_TEST_CLOCK_FILE: clock.file, ...own });
}

async function propose(caseId: string): Promise<string> {
  const args = ['cases', 'correct', caseId, '--book', 'bank-to-wallet', '--amount', '0.01', '--revision', '1'];
  const proposed = await run('ada', [...args, '--reason', 'interest']);
  assert.equal(proposed.code, 0, proposed.said);
  return textAt(proposed.data(), 'id');
}

async function correctAs(person: Person, caseId: string, proposalId: string): Promise<void> {
  const transferIds = [newId(systemClock), newId(systemClock)];
  await actAs(person, { action: 'case.correct', subject: caseId }, async (tx) =>
    correctCase(tx, { id: caseId, proposalId, at: new Date(), transferIds }),
  );
}

async function countCorrections(caseId: string): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ transfers: number }>(
      'select count(distinct transfer_id)::int as transfers from kelpie.ledger_entries where cause_id = $1',
      [caseId],
    );
    return rows[0]?.transfers ?? -1;
  });
}

async function expectRefusal(result: CommandResult, code: string): Promise<void> {
  assert.deepEqual([result.code, textAt(result.json(), 'error.code')], [2, code], result.said);
}

test('faults 62: 100 racing approvals of one act do it once', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  const proposalId = await propose(caseId);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, async () => correctAs('grace', caseId, proposalId)),
  );
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
  assert.equal(refusals.length, 99, refusals[0]);
  for (const refusal of refusals) assert.match(refusal, /is decided|lock timeout/);
  assert.equal(await countCorrections(caseId), 2);
  const approvals = await Promise.all(
    Array.from({ length: 4 }, async () => run('grace', ['approvals', 'approve', proposalId])),
  );
  for (const late of approvals) await expectRefusal(late, 'nothing_to_do');
  assert.equal(await countCorrections(caseId), 2);
});

test('faults 62: who proposed an act can not approve it, by the command or past it', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  const proposalId = await propose(caseId);
  await expectRefusal(await run('ada', ['approvals', 'approve', proposalId]), 'second_operator_required');
  await assert.rejects(correctAs('ada', caseId, proposalId), /another operator/);
  for (const outcome of ['rejected', 'refused'] as const) {
    const action = outcome === 'rejected' ? 'proposal.reject' : 'proposal.refuse';
    await assert.rejects(
      actAs('ada', { action, subject: proposalId }, async (tx) =>
        decideProposal(tx, { id: proposalId, outcome, reason: 'mine', at: new Date() }),
      ),
      /proposals_two_persons/,
    );
  }
  // Nor does an act happen that nobody proposed, or by a proposal of another case.
  const otherCase = await plantBalanceCase(database, partnerEnvironment);
  for (const id of [randomUUID(), proposalId])
    await assert.rejects(correctAs('grace', otherCase, id), /was not proposed/);
  assert.deepEqual([await countCorrections(caseId), await countCorrections(otherCase)], [0, 0]);
  assert.equal((await run('grace', ['approvals', 'approve', proposalId])).code, 0);
});

test('a proposal whose case has moved is refused, and stays refused', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  const [first, second] = [await propose(caseId), await propose(caseId)];
  assert.equal((await run('grace', ['approvals', 'approve', first])).code, 0);
  await expectRefusal(await run('grace', ['approvals', 'approve', second]), 'revision_changed');
  const shown = await run('ada', ['approvals', 'show', second]);
  assert.deepEqual(
    [textAt(shown.data(), 'outcome'), textAt(shown.data(), 'decided_by')],
    ['refused', 'grace@kelpie.example'],
  );
  await expectRefusal(await run('grace', ['approvals', 'approve', second]), 'nothing_to_do');
  assert.equal(await countCorrections(caseId), 2);
});

test('one person alone stops a proposal: who proposed it withdraws it, another rejects it', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  for (const [person, outcome] of [
    ['ada', 'withdrawn'],
    ['grace', 'rejected'],
  ] as const) {
    const id = await propose(caseId);
    const ended = await run(person, ['approvals', 'reject', id, '--reason', 'not yet']);
    assert.equal(textAt(ended.data(), 'outcome'), outcome);
    await expectRefusal(await run('grace', ['approvals', 'approve', id]), 'nothing_to_do');
    await expectRefusal(await run('grace', ['approvals', 'reject', id, '--reason', 'again']), 'nothing_to_do');
  }
  assert.equal(await countCorrections(caseId), 0);
});

test('a proposal expires after a day, by the command and by the database', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  const proposalId = await propose(caseId);
  const listed = async () => JSON.stringify((await run('ada', ['approvals', 'list'])).data());
  assert((await listed()).includes(proposalId));
  clock.move(24 * 60 * 60_000 + 1_000);
  await expectRefusal(await run('grace', ['approvals', 'approve', proposalId]), 'proposal_expired');
  assert(!(await listed()).includes(proposalId));
  const late = new Date(Date.now() + 25 * 60 * 60_000);
  await assert.rejects(
    actAs('grace', { action: 'case.correct', subject: caseId }, async (tx) =>
      correctCase(tx, { id: caseId, proposalId, at: late, transferIds: [randomUUID(), randomUUID()] }),
    ),
    /has expired/,
  );
});

test('a proposal is in the audit log, and neither changes nor goes away', async () => {
  const caseId = await plantBalanceCase(database, partnerEnvironment);
  const proposalId = await propose(caseId);
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ operator: string; action: string }>(
      'select operator, action from kelpie.audit_log where subject = $1',
      [proposalId],
    ),
  );
  assert.deepEqual(rows, [{ operator: 'ada@kelpie.example', action: 'proposal.create' }]);
  await asAdmin(database.superuserUrl, async (client) => {
    for (const sql of [
      `update kelpie.proposals set detail = '{}'`,
      `update kelpie.proposals set proposed_by = 'grace@kelpie.example'`,
      `update kelpie.proposals set expires_at = expires_at + interval '1 day'`,
      'delete from kelpie.proposals',
      'truncate kelpie.proposals',
    ])
      await assert.rejects(client.query(sql), /decided once|does not change|is kept|insert-only/, sql);
  });
  // Without an entry in the log there is no proposal.
  const unnoted = { id: randomUUID(), action: 'case.correct', subject: caseId, revision: 1n, detail: {} };
  await assert.rejects(
    inTransaction(pools.ada, 'shared', async (tx) => insertProposal(tx, unnoted, new Date())),
    /not in the log/,
  );
  assert.equal((await run('ada', ['audit', 'verify'])).code, 0);
});
