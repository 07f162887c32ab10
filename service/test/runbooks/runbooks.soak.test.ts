import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createBackupRepository } from '@kelpie/dev/postgres/backup-repository.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { urlFor } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startRecoveryWorld } from '../recovery/restoring.ts';
import { commandsOf, listRunbooks, queriesOf, type RunbookCommand } from './commands.ts';
import { proposalIn, situations } from './situations.ts';
import { runAs, stageOf, type Situation } from './stage.ts';

// Every command of every runbook is run, in the order of its page and in the situation that it is for: a whole Kelpie in live,
// whose bank loses, refuses and pays by itself, whose audit log is broken, whose database is restored.

const server = await startOwnServer();
after(async () => server.remove());
const urls = await prepareDatabase(server.adminUrl);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const repository = await createBackupRepository(server.adminUrl);
after(async () => repository.remove());
const world = await startRecoveryWorld({ database: { ...urls, superuserUrl: urlFor(server.adminUrl, 'kelpie') } });
const stage = stageOf(world);
const folder = await mkdtemp('/var/tmp/kelpie-runbooks-');
// PostgreSQL's own user must be able to enter it.
await chmod(folder, 0o711);
after(async () => rm(folder, { recursive: true, force: true }));

/** Sentences that name a command without all that it needs. Each is whole elsewhere. */
const names = new Set(['recovery drill', 'recovery begin', 'rails pause', 'archive return', 'partners create']);

function fill({ name, args }: RunbookCommand, situation: Situation, proposal: string | null): string[] {
  const { words = {}, ids = {}, payments = {}, added = {} } = situation;
  const id = name === 'approvals approve' ? proposal : ids[name];
  const filled = args.map((arg) => {
    if (arg === 'ID' || arg === 'PROPOSAL') return id ?? arg;
    if (arg === 'PAYMENT') return payments[name] ?? arg;
    return words[arg] ?? arg;
  });
  const json = filled.includes('--json') ? [] : ['--json'];
  return [...filled, ...(added[name] ?? []), ...json];
}

type Run = (command: RunbookCommand, proposal: string | null) => Promise<CommandResult>;

function runIn(situation: Situation): Run {
  const database = situation.database ?? stage.database;
  return async (command, proposal) => {
    const env = { ...situation.env, ...(proposal === null ? {} : asSecondPerson(database)) };
    return runAs(stage, fill(command, situation, proposal), { database, env });
  };
}

const mostTries = 5;

/** Another operator approves it. As the runbook says: if a worker is at it, after two minutes; if something moved, anew. */
async function approve(run: Run, approval: RunbookCommand, proposed: Proposed, tries = 1): Promise<void> {
  const { code, said } = await run(approval, proposed.id);
  if (code === 0) return;
  assert(tries < mostTries, `${proposed.by.line}: ${said}`);
  if (said.includes('in_progress')) {
    await stage.moveTime(2 * 60_000);
    return approve(run, approval, proposed, tries + 1);
  }
  assert(said.includes('revision_changed'), `${proposed.by.line}: ${said}`);
  const id = proposalIn((await run(proposed.by, null)).data());
  assert(id !== null, `${proposed.by.line} proposes nothing`);
  return approve(run, approval, { ...proposed, id }, tries + 1);
}

interface Proposed {
  by: RunbookCommand;
  id: string;
}

async function rehearse(commands: readonly RunbookCommand[], situation: Situation): Promise<void> {
  const run = runIn(situation);
  let proposals: Proposed[] = [];
  for (const command of commands) {
    await situation.before?.[command.name]?.();
    if (command.name === 'approvals approve') {
      // One line stands for the approval of each of them.
      assert(proposals.length > 0, 'nothing is proposed');
      for (const proposed of proposals) await approve(run, command, proposed);
      proposals = [];
    } else {
      const ended = await run(command, null);
      const expected = situation.ends?.[command.name] ?? [0];
      assert(expected.includes(ended.code ?? -1), `${command.line} ended with ${ended.code}: ${ended.said}`);
      const id = proposalIn(ended.data());
      if (id !== null) proposals.push({ by: command, id });
    }
  }
}

const runbooks = listRunbooks();

test('every situation belongs to a page', () => {
  const pages = new Set(runbooks.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(situations).filter((name) => !pages.has(name)),
    [],
  );
});

for (const { name, page } of runbooks) {
  const commands = commandsOf(page).filter(({ args }) => !names.has(args.join(' ')));
  if (commands.length === 0) continue;
  test(`the ${commands.length} commands of runbook ${name} do what it needs`, async () => {
    const situation = await situations[name]?.({ stage, repository, folder });
    await rehearse(commands, situation ?? {});
    await situation?.after?.();
  });
}

test('every query of a runbook can be run', async () => {
  const queries = runbooks.flatMap(({ page }) => queriesOf(page));
  assert(queries.length > 5);
  for (const query of queries) await stage.query(query);
});
