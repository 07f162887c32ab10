// Acts that free money: one operator proposes one, another approves it (approvals.ts).
import { insertProposal, type NewProposal, type Proposal } from '../../platform/audit/proposal-store.ts';
import type { Transaction, TransactionContext } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { print } from './printing.ts';
import { describeDone, doneAsJson, runAudited, type OperatorDeps, type WriteOptions } from './run-command.ts';

/** What an approval did, for people and for programs. */
interface DoneAct {
  sentence: string;
  shown: object;
}

/** An act that is ready to be performed. */
interface PreparedAct {
  /** Whose rows its transaction sees. */
  context?: TransactionContext;
  /**
   * Performs it, in one transaction with its audit entry. Its database function calls kelpie.take_proposal, or the act would
   * need one person only.
   */
  perform: (tx: Transaction) => Promise<DoneAct>;
}

/** What an approval of one action does. */
export interface ApprovedAct {
  /** The role that performs it; `service` acts are vouched for by the operator's connection. */
  as: 'operator' | 'service';
  /** Outside any transaction: reads what the act needs, and searches the bank again. Throws ActMoved if something moved. */
  prepare: (proposal: Proposal, deps: OperatorDeps) => Promise<PreparedAct>;
}

/** What was proposed is no longer what is there. The proposal ends as refused. */
export class ActMoved extends OperatorError {
  override readonly name = 'ActMoved';

  constructor(message: string, code = 'revision_changed') {
    super(message, code);
  }
}

interface ProposedAct {
  /** Completes "Proposed to …". */
  what: string;
  /** Writes, in the same transaction, what approval needs and a proposal must not hold. */
  alsoKeep?: (tx: Transaction, proposalId: string) => Promise<void>;
}

/** Records a proposal and prints how another operator approves it. */
export async function propose(
  deps: OperatorDeps,
  { json, dryRun }: WriteOptions,
  { what, alsoKeep, ...proposed }: Omit<NewProposal, 'id'> & ProposedAct,
): Promise<void> {
  const id = newId(deps.clock);
  const { action, subject, revision, detail } = proposed;
  const written = await runAudited(deps, { dryRun }, async (tx) => {
    const named = { action, subject, revision: revision === null ? null : revision.toString() };
    const recorded = await deps.record(tx, { action: 'proposal.create', subject: id, detail: { ...detail, ...named } });
    await insertProposal(tx, { id, ...proposed }, deps.clock.now());
    await alsoKeep?.(tx, id);
    return recorded;
  });
  const sentence = `Proposed to ${what}.\nAnother operator approves it within 24 hours with \`kelpie-admin approvals approve ${id}\`.`;
  print({ json }, { id, ...proposed, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}
