import type { MicroUsdc } from '../../money/amounts.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import { raisedBy } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

// Operators' queries and changes of runs and cases. Queries run as kelpie_reader, changes as kelpie_operator.

/** Which act settled a case about money; `none` where the difference is gone or no money is concerned. */
export const closingActs = ['released', 'settled', 'adopted', 'corrected', 'none'] as const;
export type ClosingAct = (typeof closingActs)[number];

/** A difference from the bank, or a problem of a payout. */
export interface AdminCase {
  id: string;
  partner: string;
  environment: string;
  kind: string;
  /** Cleared: a later run no longer saw the difference. */
  state: 'open' | 'cleared' | 'closed';
  /** The bank's id; null for a case of a payout. */
  subject: string | null;
  /** Our payout or deposit, if there is one. */
  relatedId: string | null;
  differenceMicroUsdc: MicroUsdc | null;
  detail: string;
  /** How many runs saw it; null for a case of a payout. */
  seen: bigint | null;
  openedAt: Date;
  lastSeenAt: Date | null;
  closedBy: string | null;
  closedReason: string | null;
  closedAct: ClosingAct | null;
}

interface CaseRow {
  id: string;
  slug: string;
  environment: string;
  kind: string;
  state: AdminCase['state'];
  subject: string | null;
  related_id: string | null;
  difference: string | null;
  detail: string;
  seen: string | null;
  opened_at: Date;
  last_seen_at: Date | null;
  closed_by: string | null;
  closed_reason: string | null;
  closed_act: ClosingAct | null;
}

const stateOfCase = `case when c.closed_at is not null then 'closed' when c.gone_at is not null then 'cleared' else 'open' end`;
const caseColumns = `c.id, p.slug, c.environment::text, c.kind, ${stateOfCase} as state, c.subject,
  coalesce(c.payout_id, c.related_id) as related_id, c.difference_micro_usdc as difference, c.detail, c.seen, c.opened_at,
  c.last_seen_at, c.closed_by, c.closed_reason, c.closed_act`;

function caseFrom(row: CaseRow): AdminCase {
  return {
    id: row.id,
    partner: row.slug,
    environment: row.environment,
    kind: row.kind,
    state: row.state,
    subject: row.subject,
    relatedId: row.related_id,
    differenceMicroUsdc: bigOrNull(row.difference),
    detail: row.detail,
    seen: bigOrNull(row.seen),
    openedAt: row.opened_at,
    lastSeenAt: row.last_seen_at,
    closedBy: row.closed_by,
    closedReason: row.closed_reason,
    closedAct: row.closed_act,
  };
}

interface Choice {
  /** A partner's id; null for all. */
  partnerId: string | null;
  /** Null for all. */
  state: string | null;
  kind: string | null;
  atMost: number;
}

/** Newest first. */
export async function listAdminCases(tx: Transaction, choice: Choice): Promise<AdminCase[]> {
  const { rows } = await tx.query<CaseRow>(
    `select ${caseColumns} from kelpie.cases c join kelpie.partners p on p.id = c.partner_id
     where ($1::uuid is null or c.partner_id = $1) and ($2::text is null or ${stateOfCase} = $2)
       and ($3::text is null or c.kind = $3)
     order by c.opened_at desc, c.id desc limit $4`,
    [choice.partnerId, choice.state, choice.kind, choice.atMost],
  );
  return rows.map(caseFrom);
}

export interface CaseStepRow {
  number: number;
  at: Date;
  what: string;
  by: string;
  detail: string;
  transfer_ids: string[];
}

const stepLabels = new Map([
  ['gone', 'cleared'],
  ['back', 'reopened'],
]);

function labelled(step: CaseStepRow): CaseStepRow {
  return { ...step, what: stepLabels.get(step.what) ?? step.what };
}

export async function findCase(
  tx: Transaction,
  id: string,
): Promise<{ found: AdminCase; history: CaseStepRow[] } | null> {
  const { rows } = await tx.query<CaseRow>(
    `select ${caseColumns} from kelpie.cases c join kelpie.partners p on p.id = c.partner_id where c.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const history = await tx.query<CaseStepRow>(
    'select number, at, what, by, detail, transfer_ids from kelpie.case_history where case_id = $1 order by number limit 1000',
    [row.id],
  );
  return { found: caseFrom(row), history: history.rows.map(labelled) };
}

interface Closing {
  id: string;
  at: Date;
  act: ClosingAct;
  reason: string;
}

/** `not_done`: the act that it names was not done. The database refuses it unless this transaction has recorded it. */
export async function closeCase(
  tx: Transaction,
  { id, at, act, reason }: Closing,
): Promise<'closed' | 'closed_before' | 'not_done'> {
  try {
    const { rows } = await tx.query<{ closed: boolean }>(
      'select kelpie.operator_close_case($1, $2, $3, $4) as closed',
      [id, at, act, reason],
    );
    return rows[0]?.closed === true ? 'closed' : 'closed_before';
  } catch (error) {
    if (raisedBy(error)?.code === sqlStates.actNotDone) return 'not_done';
    throw error;
  }
}

interface Correction {
  id: string;
  /** What it books is in there. */
  proposalId: string;
  at: Date;
  transferIds: readonly string[];
}

export type CorrectionProblem =
  | 'wallet_short'
  | 'revision_changed'
  | 'case_closed'
  | 'beyond_difference'
  | 'corrected_elsewhere'
  | 'suspense_short';

const problems: Readonly<Record<string, CorrectionProblem>> = {
  [sqlStates.walletShort]: 'wallet_short',
  [sqlStates.caseRevisionChanged]: 'revision_changed',
  [sqlStates.caseClosed]: 'case_closed',
  [sqlStates.beyondDifference]: 'beyond_difference',
  [sqlStates.correctedElsewhere]: 'corrected_elsewhere',
  [sqlStates.suspenseShort]: 'suspense_short',
};

/** The database refused it, and the transaction is rolled back. */
export class CorrectionRefused extends Error {
  override readonly name = 'CorrectionRefused';
  readonly why: CorrectionProblem;

  constructor(why: CorrectionProblem) {
    super(why);
    this.why = why;
  }
}

export async function correctCase(tx: Transaction, { id, proposalId, at, transferIds }: Correction): Promise<void> {
  try {
    await tx.query('select kelpie.operator_correct_case($1, $2, $3, $4)', [proposalId, id, at, transferIds]);
  } catch (error) {
    const why = problems[raisedBy(error)?.code ?? ''];
    throw why === undefined ? error : new CorrectionRefused(why);
  }
}

/** A reconciliation run as operators see it. */
export interface AdminRun {
  id: string;
  askedBy: string;
  startedAt: Date;
  cutOffAt: Date;
  finishedAt: Date | null;
  state: string;
  /** Null for all partners. */
  partner: string | null;
  /** The --from date; null where it compared since the last run, or everything. */
  linesFrom: Date | null;
}

interface RunRow {
  id: string;
  asked_by: string;
  started_at: Date;
  cut_off_at: Date;
  finished_at: Date | null;
  state: string;
  slug: string | null;
  lines_from: Date | null;
}

/** Without an id, the newest full run: of all partners, with no --from date. */
export async function findRun(tx: Transaction, id: string | null): Promise<AdminRun | null> {
  const { rows } = await tx.query<RunRow>(
    `select r.id, r.asked_by, r.started_at, r.cut_off_at, r.finished_at, r.state, r.lines_from, p.slug
     from kelpie.reconciliations r left join kelpie.partners p on p.id = r.of_partner
     where r.id = $1 or ($1::uuid is null and r.of_partner is null and r.lines_from is null)
     order by r.started_at desc, r.id desc limit 1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    id: row.id,
    askedBy: row.asked_by,
    startedAt: row.started_at,
    cutOffAt: row.cut_off_at,
    finishedAt: row.finished_at,
    state: row.state,
    partner: row.slug,
    linesFrom: row.lines_from,
  };
}

/** The result for one partner environment; without a partner, the total of an environment. */
export interface AdminEnvironmentRun {
  partner: string | null;
  environment: string;
  environments: number;
  transfers: bigint;
  deposits: bigint;
  inFlight: bigint;
  oursMicroUsdc: MicroUsdc | null;
  bankMicroUsdc: MicroUsdc | null;
  inFlightMicroUsdc: MicroUsdc | null;
  differences: bigint;
  known: bigint;
  problem: string | null;
}

interface EnvironmentRunRow {
  slug: string | null;
  environment: string;
  environments: number;
  transfers: string;
  deposits: string;
  in_flight: string;
  ours: string | null;
  bank: string | null;
  moving: string | null;
  differences: string;
  known: string;
  trouble: string | null;
}

/** The totals of each environment, then partners, those with differences first. */
export async function listRunEnvironments(
  tx: Transaction,
  runId: string,
  atMost: number,
): Promise<AdminEnvironmentRun[]> {
  const { rows } = await tx.query<EnvironmentRunRow>(
    `select p.slug, s.environment::text, count(*)::int as environments, sum(s.transfers) as transfers, sum(s.deposits) as deposits,
       sum(s.in_flight) as in_flight, sum(s.ours_micro_usdc) as ours, sum(s.bank_micro_usdc) as bank,
       sum(s.in_flight_micro_usdc) as moving, sum(s.differences) as differences, sum(s.known) as known,
       min(s.trouble) as trouble
     from kelpie.reconciled_environments s join kelpie.partners p on p.id = s.partner_id
     where s.run_id = $1 group by grouping sets ((p.slug, s.environment), (s.environment))
     order by p.slug is not null, sum(s.differences) desc, min(s.trouble) is null, p.slug, s.environment limit $2`,
    [runId, atMost],
  );
  return rows.map((row) => ({
    partner: row.slug,
    environment: row.environment,
    environments: row.environments,
    transfers: BigInt(row.transfers),
    deposits: BigInt(row.deposits),
    inFlight: BigInt(row.in_flight),
    oursMicroUsdc: bigOrNull(row.ours),
    bankMicroUsdc: bigOrNull(row.bank),
    inFlightMicroUsdc: bigOrNull(row.moving),
    differences: BigInt(row.differences),
    known: BigInt(row.known),
    problem: row.trouble,
  }));
}
