import type { Command } from 'commander';
import {
  decideProposal,
  findProposal,
  listProposals,
  proposalRefusal,
  type Proposal,
} from '../../platform/audit/proposal-store.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { approvedActs } from './approved-acts.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { print, shortInstant, table } from './printing.ts';
import { ActMoved, type ApprovedAct } from './propose.ts';
import {
  describeDone,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type OperatorDeps,
  type ReadOptions,
  type WithReason,
  type WriteOptions,
} from './run-command.ts';

function stateOf({ outcome, expiresAt }: Proposal, now: Date): string {
  return outcome ?? (now < expiresAt ? 'open' : 'expired');
}

function addList(approvals: Command): void {
  const list = limited(readCommand(approvals.command('list')))
    .description('List proposed acts, newest first. Without --all, only those that can be approved.')
    .option('--all', 'also those that were decided or have expired', false)
    .action(async ({ json, all, limit }: ReadOptions & { all: boolean; limit: number }) => {
      const { found, now } = await look(async (tx, at) => ({
        found: await listProposals(tx, { openAt: all ? null : at, atMost: limit }),
        now: at,
      }));
      const rows = found.map((one) => [
        one.id,
        stateOf(one, now),
        one.action,
        one.subject,
        one.proposedBy,
        shortInstant(one.expiresAt),
        one.decidedBy ?? '-',
      ]);
      const names = ['PROPOSAL', 'STATE', 'ACTION', 'SUBJECT', 'PROPOSED BY', 'EXPIRES', 'DECIDED BY'];
      print({ json }, found, table(names, rows, all ? 'No proposals.' : 'No proposal waits for approval.'));
    });
  addHelp(list, {
    example: 'kelpie-admin approvals list',
    prints: 'One line per proposal: its state, the act, what it is about, and who proposed it.',
  });
}

async function readProposal(text: string): Promise<{ proposal: Proposal; now: Date }> {
  const id = idFrom(text);
  const found =
    id === undefined ? null : await look(async (tx, now) => ({ proposal: await findProposal(tx, id), now }));
  if (found !== null && found.proposal !== null) return { proposal: found.proposal, now: found.now };
  throw new OperatorError(
    `No proposal has the id ${text}. \`kelpie-admin approvals list --all\` shows the ids.`,
    'not_found',
  );
}

function describeProposal(proposal: Proposal, now: Date): string {
  const lines = [
    `Proposal ${proposal.id}: ${stateOf(proposal, now)}`,
    `  ${proposal.action} of ${proposal.subject}${proposal.revision === null ? '' : `, revision ${proposal.revision}`}`,
    ...Object.entries(proposal.detail).map(([name, value]) => `  ${name}: ${value ?? '-'}`),
    `  proposed by ${proposal.proposedBy} at ${shortInstant(proposal.proposedAt)}, expires ${shortInstant(proposal.expiresAt)}`,
    ...(proposal.decidedBy === null
      ? []
      : [`  ${proposal.outcome} by ${proposal.decidedBy} at ${shortInstant(proposal.decidedAt)}`]),
    ...(proposal.decidedReason === null ? [] : [`  ${proposal.decidedReason}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(approvals: Command): void {
  const show = readCommand(approvals.command('show'))
    .argument('<id>', 'proposal id')
    .description('Show a proposal with its parameters and reason.')
    .action(async (id: string, { json }: ReadOptions) => {
      const { proposal, now } = await readProposal(id);
      print({ json }, proposal, describeProposal(proposal, now));
    });
  addHelp(show, {
    example: 'kelpie-admin approvals show 01a1e038-9db4-7712-8d7d-0b3df4df0d93',
    prints: 'What approval would do, who proposed it, why, and how it was decided.',
  });
}

function refuseDecided({ id, outcome, decidedBy }: Proposal): void {
  if (outcome !== null)
    throw new OperatorError(`Proposal ${id} is already decided: ${outcome} by ${decidedBy}.`, 'nothing_to_do');
}

function actOf({ action }: Proposal): ApprovedAct {
  const act = approvedActs.get(action);
  if (act === undefined) throw new OperatorError(`This version of the command cannot perform ${action}.`);
  return act;
}

/** The database checks all of this again, in the commit that performs the act. */
function refuseEarly(proposal: Proposal, now: Date, operator: string): void {
  refuseDecided(proposal);
  if (operator === proposal.proposedBy)
    throw new OperatorError(
      'You proposed this. Another operator must approve it. Nothing changed.',
      'second_operator_required',
    );
  if (now >= proposal.expiresAt)
    throw new OperatorError('The proposal has expired. Propose it again. Nothing changed.', 'proposal_expired');
}

async function perform(deps: OperatorDeps, options: WriteOptions, proposal: Proposal, act: ApprovedAct) {
  refuseEarly(proposal, deps.clock.now(), deps.operator);
  const { id, action, subject, proposedBy } = proposal;
  const prepared = await act.prepare(proposal, deps);
  return runAudited({ ...deps, ...prepared }, options, async (tx) => {
    const detail = { ...proposal.detail, proposal: id, proposed_by: proposedBy };
    const written = await deps.record(tx, { action, subject, detail });
    return { written, done: await prepared.perform(tx) };
  });
}

/** Something moved since it was proposed: it ends here, so that a later approval can't find it as it was by chance. */
async function refuse({ id }: Proposal, { message }: ActMoved): Promise<void> {
  await withOperator('operator', async (deps) =>
    runAudited(deps, { dryRun: false }, async (tx) => {
      const reason = message.slice(0, 500);
      await deps.record(tx, { action: 'proposal.refuse', subject: id, detail: { reason } });
      await decideProposal(tx, { id, outcome: 'refused', reason, at: deps.clock.now() });
    }),
  );
}

async function approve(text: string, options: WriteOptions): Promise<void> {
  const { json, dryRun } = options;
  const { proposal } = await readProposal(text);
  const act = actOf(proposal);
  const { written, done } = await withOperator(act.as, async (deps) => perform(deps, options, proposal, act)).catch(
    async (error: unknown) => {
      if (error instanceof ActMoved && !dryRun) await refuse(proposal, error);
      throw proposalRefusal(error) ?? error;
    },
  );
  const { id, action, subject } = proposal;
  const shown = { id, action, subject, ...done.shown, ...doneAsJson(dryRun, written) };
  print({ json }, shown, describeDone(done.sentence, dryRun, written));
}

function addApprove(approvals: Command): void {
  const command = writeCommand(approvals.command('approve'))
    .argument('<id>', 'proposal id')
    .description(
      'Approve a proposal of another operator, which performs its act at once. Acts on payouts search the bank again first. If anything moved since it was proposed, nothing happens and the proposal ends as refused.',
    )
    .action(approve);
  addHelp(command, {
    example: 'kelpie-admin approvals approve 01a1e038-9db4-7712-8d7d-0b3df4df0d93',
    prints: 'What the act did and its audit log entry.',
  });
}

async function reject(text: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { proposal } = await readProposal(text);
  const { id } = proposal;
  refuseDecided(proposal);
  const { outcome, written } = await withOperator('operator', async (deps) => {
    const isOwn = deps.operator === proposal.proposedBy;
    const decision = isOwn ? 'withdrawn' : 'rejected';
    return runAudited(deps, options, async (tx) => {
      const action = isOwn ? 'proposal.withdraw' : 'proposal.reject';
      const recorded = await deps.record(tx, { action, subject: id, detail: { reason } });
      if (!(await decideProposal(tx, { id, outcome: decision, reason, at: deps.clock.now() })))
        throw new OperatorError(`Proposal ${id} is already decided.`, 'nothing_to_do');
      return { outcome: decision, written: recorded };
    });
  });
  const shown = { id, outcome, ...doneAsJson(dryRun, written) };
  print({ json }, shown, describeDone(`Proposal ${id} is ${outcome}.`, dryRun, written));
}

function addReject(approvals: Command): void {
  const command = withReason(writeCommand(approvals.command('reject')))
    .argument('<id>', 'proposal id')
    .description('Reject a proposal, or withdraw your own. Nothing else changes.')
    .action(reject);
  addHelp(command, {
    example: 'kelpie-admin approvals reject 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --reason "the bank is still looking"',
    prints: 'Whether it was rejected or withdrawn, and the audit log entry.',
  });
}

export function addApprovalCommands(kelpie: Command): void {
  const approvals = kelpie.command('approvals').description('Approve or reject what another operator proposed.');
  addList(approvals);
  addShow(approvals);
  addApprove(approvals);
  addReject(approvals);
  addGroupHelp(approvals, {
    about:
      'An act that frees money needs two operators. One proposes it with its own command, another approves it here within 24 hours. Stopping something takes one operator.',
    example: 'kelpie-admin approvals list',
  });
}
