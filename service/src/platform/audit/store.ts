import type { Transaction } from '../database/transaction.ts';
import type { AuditHead, AuditRow } from './chain.ts';

interface HeadRow {
  seq: string;
  mac: Buffer;
  head_mac: Buffer | null;
}

function headFrom({ seq, mac, head_mac: headMac }: HeadRow): AuditHead {
  return { seq: BigInt(seq), mac, headMac };
}

/**
 * Whoever has the voucher may add to the log as the service's role does, while this transaction of the operator's role lasts.
 */
export async function vouchForAct(tx: Transaction, voucher: Buffer): Promise<void> {
  await tx.query('select from kelpie.vouch_for_act($1)', [voucher]);
}

/** The login of this connection, and whether it is an operator's. */
export async function readLogin(tx: Transaction): Promise<{ login: string; isOperator: boolean }> {
  const { rows } = await tx.query<{ login: string; is_operator: boolean }>(
    'select session_user::text as login, kelpie.is_operator(session_user) as is_operator',
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a connection without a login');
  return { login: row.login, isOperator: row.is_operator };
}

/** Where the log ends; nobody else adds to it until the end of this transaction, whose own number is `tx`. */
export async function lockHead(tx: Transaction, voucher: Buffer | null): Promise<AuditHead & { tx: string }> {
  const { rows } = await tx.query<HeadRow & { tx: string }>(
    'select seq, mac, head_mac, pg_current_xact_id()::text as tx from kelpie.lock_audit_head($1)',
    [voucher],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the audit log has no end');
  return { ...headFrom(row), tx: row.tx };
}

interface Appending {
  row: AuditRow;
  headMac: Buffer;
  voucher: Buffer | null;
}

export async function appendRow(tx: Transaction, { row, headMac, voucher }: Appending): Promise<void> {
  await tx.query('select from kelpie.append_audit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
    row.seq,
    row.at,
    row.operator,
    row.action,
    row.subject,
    row.detail,
    row.previousMac,
    row.mac,
    headMac,
    voucher,
  ]);
}

/** Null where it was removed. */
export async function findHead(tx: Transaction): Promise<AuditHead | null> {
  const { rows } = await tx.query<HeadRow>('select seq, mac, head_mac from kelpie.audit_head');
  const [row] = rows;
  return row === undefined ? null : headFrom(row);
}

interface LogRow {
  seq: string;
  at: Date;
  at_micros: string;
  operator: string;
  action: string;
  subject: string;
  detail: string;
  tx: string;
  previous_mac: Buffer;
  mac: Buffer;
}

const columns = `seq, at, (extract(epoch from at) * 1000000)::bigint as at_micros, operator, action, subject, detail,
  tx::text, previous_mac, mac`;

function rowFrom({ seq, at_micros: atMicros, previous_mac: previousMac, ...row }: LogRow): AuditRow {
  return { ...row, seq: BigInt(seq), atMicros: BigInt(atMicros), previousMac };
}

/** The oldest first, from the one after `afterSeq` on. */
export async function listRowsAfter(tx: Transaction, afterSeq: bigint, atMost: number): Promise<AuditRow[]> {
  const { rows } = await tx.query<LogRow>(
    `select ${columns} from kelpie.audit_log where seq > $1 order by seq limit $2`,
    [afterSeq, atMost],
  );
  return rows.map(rowFrom);
}

export async function countRows(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ rows: string }>('select count(*) as rows from kelpie.audit_log');
  return Number(rows[0]?.rows);
}

interface AuditFilter {
  /** Null fits every one. */
  subject: string | null;
  operator: string | null;
  atMost: number;
}

/** The newest first. */
export async function listNewestRows(tx: Transaction, { subject, operator, atMost }: AuditFilter): Promise<AuditRow[]> {
  const { rows } = await tx.query<LogRow>(
    `select ${columns} from kelpie.audit_log
     where ($1::text is null or subject = $1) and ($2::text is null or operator = $2) order by seq desc limit $3`,
    [subject, operator, atMost],
  );
  return rows.map(rowFrom);
}

/** One picture of the whole: an act that goes on meanwhile would look like a difference otherwise. */
export async function readOneSnapshot(tx: Transaction): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only');
}
