import { bigOrNull } from '../database/big-or-null.ts';
import { raisedBy } from '../database/single-call.ts';
import { sqlStates } from '../database/sql-states.ts';
import type { Transaction } from '../database/transaction.ts';
import { OperatorError } from '../operator-error.ts';
import type { Act } from './write-act.ts';

/** An act that one operator proposes and another approves. */
export interface Proposal {
  id: string;
  action: string;
  subject: string;
  /** The subject's revision when it was proposed; null where it has none. */
  revision: bigint | null;
  detail: Act['detail'];
  proposedBy: string;
  proposedAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  outcome: 'done' | 'rejected' | 'withdrawn' | 'refused' | null;
  decidedReason: string | null;
}

export type NewProposal = Pick<Proposal, 'id' | 'action' | 'subject' | 'revision' | 'detail'>;

/** The database refuses it unless this transaction has recorded a `proposal.create`. */
export async function insertProposal(tx: Transaction, proposal: NewProposal, at: Date): Promise<void> {
  await tx.query('select from kelpie.propose_act($1, $2, $3, $4, $5, $6)', [
    proposal.id,
    proposal.action,
    proposal.subject,
    proposal.revision,
    JSON.stringify(proposal.detail),
    at,
  ]);
}

interface ProposalRow {
  id: string;
  action: string;
  subject: string;
  revision: string | null;
  detail: string;
  proposed_by: string;
  proposed_at: Date;
  expires_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
  outcome: Proposal['outcome'];
  decided_reason: string | null;
}

const columns = `id, action, subject, revision, detail, proposed_by, proposed_at, expires_at, decided_by, decided_at, outcome,
  decided_reason`;

/** Only `insertProposal` writes it, and only texts, numbers and nulls. */
function detailFrom(text: string): Act['detail'] {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('a proposal without detail');
  const entries = Object.entries(parsed).map(([name, value]: [string, unknown]): [string, string | number | null] => {
    if (typeof value === 'string' || typeof value === 'number' || value === null) return [name, value];
    throw new Error('a proposal’s detail is texts, numbers and nulls');
  });
  return Object.fromEntries(entries);
}

function proposalFrom(row: ProposalRow): Proposal {
  return {
    id: row.id,
    action: row.action,
    subject: row.subject,
    revision: bigOrNull(row.revision),
    detail: detailFrom(row.detail),
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    outcome: row.outcome,
    decidedReason: row.decided_reason,
  };
}

/** Runs as kelpie_reader. */
export async function findProposal(tx: Transaction, id: string): Promise<Proposal | null> {
  const { rows } = await tx.query<ProposalRow>(`select ${columns} from kelpie.proposals where id = $1`, [id]);
  return rows[0] === undefined ? null : proposalFrom(rows[0]);
}

interface Choice {
  /** Only those that can still be approved at this instant; null for all. */
  openAt: Date | null;
  atMost: number;
}

/** Newest first. Runs as kelpie_reader. */
export async function listProposals(tx: Transaction, { openAt, atMost }: Choice): Promise<Proposal[]> {
  const { rows } = await tx.query<ProposalRow>(
    `select ${columns} from kelpie.proposals
     where $1::timestamptz is null or (outcome is null and expires_at > $1)
     order by proposed_at desc, id desc limit $2`,
    [openAt, atMost],
  );
  return rows.map(proposalFrom);
}

interface Decision {
  id: string;
  outcome: 'rejected' | 'withdrawn' | 'refused';
  reason: string;
  at: Date;
}

/** Returns false if it is already decided. The database refuses it unless this transaction has recorded the act. */
export async function decideProposal(tx: Transaction, { id, outcome, reason, at }: Decision): Promise<boolean> {
  const { rows } = await tx.query<{ decided: boolean }>(
    'select kelpie.operator_decide_proposal($1, $2, $3, $4) as decided',
    [id, outcome, at, reason],
  );
  return rows[0]?.decided ?? false;
}

const refusals: Readonly<Record<string, OperatorError>> = {
  [sqlStates.notProposed]: new OperatorError('No such act is proposed. Nothing changed.', 'not_found'),
  [sqlStates.proposalDecided]: new OperatorError('The proposal is already decided. Nothing changed.', 'nothing_to_do'),
  [sqlStates.proposalOwn]: new OperatorError(
    'You proposed this. Another operator must approve it. Nothing changed.',
    'second_operator_required',
  ),
  [sqlStates.proposalExpired]: new OperatorError(
    'The proposal has expired. Propose it again. Nothing changed.',
    'proposal_expired',
  ),
};

/** The refusal of kelpie.take_proposal that an error is, or undefined. */
export function proposalRefusal(error: unknown): OperatorError | undefined {
  return refusals[raisedBy(error)?.code ?? ''];
}
