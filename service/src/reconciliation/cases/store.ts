import type { MicroUsdc } from '../../money/amounts.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';

/** A case of a difference. */
export interface DifferenceCase {
  id: string;
  kind: string;
  subject: string;
  relatedId: string | null;
  detail: string;
  openedAt: Date;
  isGone: boolean;
  isClosed: boolean;
}

interface CaseRow {
  id: string;
  kind: string;
  subject: string;
  related_id: string | null;
  detail: string;
  opened_at: Date;
  gone_at: Date | null;
  closed_at: Date | null;
}

const mostCases = 10_000;

/** Those of a partner environment that nobody has closed, and closed ones of these subjects. Only one run of it writes at a time. */
export async function lockCases(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
  subjects: readonly string[],
): Promise<DifferenceCase[]> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('kelpie.cases ' || $1 || $2, 0))`, [
    partnerEnvironment.partnerId,
    partnerEnvironment.environment,
  ]);
  return listCases(tx, subjects);
}

export async function listCases(tx: Transaction, subjects: readonly string[]): Promise<DifferenceCase[]> {
  const { rows } = await tx.query<CaseRow>(
    `select id, kind, subject, related_id, detail, opened_at, gone_at, closed_at from kelpie.cases
     where subject is not null and (closed_at is null or subject = any ($1)) order by id limit ${mostCases}`,
    [subjects],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    relatedId: row.related_id,
    detail: row.detail,
    openedAt: row.opened_at,
    isGone: row.gone_at !== null,
    isClosed: row.closed_at !== null,
  }));
}

interface NewCase {
  id: string;
  kind: string;
  subject: string;
  relatedId: string | null;
  amount: MicroUsdc | null;
  detail: string;
}

interface Seen {
  runId: string;
  at: Date;
}

export async function insertCase(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  found: NewCase,
  { runId, at }: Seen,
): Promise<void> {
  await tx.query(
    `insert into kelpie.cases (
       id, partner_id, environment, kind, subject, related_id, difference_micro_usdc, detail, opened_at, seen, last_run_id,
       last_seen_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $9)`,
    [
      found.id,
      partnerId,
      environment,
      found.kind,
      found.subject,
      found.relatedId,
      found.amount,
      found.detail,
      at,
      runId,
    ],
  );
}

export async function seeCaseAgain(
  tx: Transaction,
  { id, amount, detail }: Pick<NewCase, 'id' | 'amount' | 'detail'>,
  { runId, at }: Seen,
): Promise<void> {
  await tx.query(
    `update kelpie.cases set seen = seen + 1, last_run_id = $2, last_seen_at = $3, difference_micro_usdc = $4, detail = $5,
       gone_at = null
     where id = $1`,
    [id, runId, at, amount, detail],
  );
}

export async function markGone(tx: Transaction, id: string, at: Date): Promise<void> {
  await tx.query('update kelpie.cases set gone_at = $2 where id = $1', [id, at]);
}

interface CaseStep {
  caseId: string;
  at: Date;
  what: 'opened' | 'changed' | 'gone' | 'back';
  by: string;
  detail: string;
}

export async function addStep(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { caseId, at, what, by, detail }: CaseStep,
): Promise<void> {
  await tx.query(
    `insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail)
     select $1, 1 + count(*), $2, $3, $4, $5, $6, $7 from kelpie.case_history where case_id = $1`,
    [caseId, partnerId, environment, at, what, by, detail],
  );
}
