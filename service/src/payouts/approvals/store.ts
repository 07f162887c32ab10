import type { Pence } from '../../money/amounts.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** Which payouts need a second admin. */
export interface ApprovalRules {
  /** More than this; null where the amount alone asks for none. */
  above: Pence | null;
  newPayee: boolean;
  /** API keys all of whose payouts need it. */
  keyIds: string[];
}

/** Looser rules that wait for another admin. */
interface PendingRules extends ApprovalRules {
  by: string;
  at: Date;
}

export interface KnownRules extends ApprovalRules {
  pending: PendingRules | null;
}

interface RulesRow {
  above_pence: string | null;
  new_payee: boolean;
  api_key_ids: string[];
  pending_by: string | null;
  pending_at: Date | null;
  pending_above_pence: string | null;
  pending_new_payee: boolean | null;
  pending_api_key_ids: string[] | null;
}

/** Of the transaction's partner and environment. What waits too long is over. */
export async function readApprovalRules(tx: Transaction, at: Date): Promise<KnownRules> {
  const { rows } = await tx.query<RulesRow>(
    `select above_pence, new_payee, api_key_ids::text[], pending_by, pending_at, pending_above_pence, pending_new_payee,
       pending_api_key_ids::text[]
     from kelpie.approval_rules
     where partner_id = kelpie.current_partner() and environment = kelpie.current_environment()`,
  );
  const [row] = rows;
  if (row === undefined) return { above: null, newPayee: false, keyIds: [], pending: null };
  return {
    above: bigOrNull(row.above_pence),
    newPayee: row.new_payee,
    keyIds: row.api_key_ids,
    pending: pendingFrom(row, at),
  };
}

const pendingForMs = 72 * 3_600_000;

function pendingFrom(row: RulesRow, now: Date): PendingRules | null {
  const { pending_by: by, pending_at: at, pending_new_payee: newPayee, pending_api_key_ids: keyIds } = row;
  if (by === null || at === null || newPayee === null || keyIds === null) return null;
  if (at.getTime() + pendingForMs <= now.getTime()) return null;
  return { by, at, newPayee, keyIds, above: bigOrNull(row.pending_above_pence) };
}

/** Rules that are turned on need two. */
export async function countAdmins(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ admins: string }>(
    `select count(*) as admins from kelpie.members where partner_id = kelpie.current_partner() and role = 'admin'`,
  );
  return Number(rows[0]?.admins ?? 0);
}

export type SetRules = 'set' | 'pending' | 'too_few_admins' | 'not_admin';

/** What only tightens holds from the commit on; anything else waits for another admin. The database decides which it is. */
export async function setApprovalRules(
  tx: Transaction,
  sessionId: string,
  { above, newPayee, keyIds }: ApprovalRules,
  at: Date,
): Promise<SetRules> {
  const { rows } = await tx.query<{ outcome: SetRules }>(
    'select kelpie.set_approval_rules($1, $2, $3, $4, $5) as outcome',
    [sessionId, above, newPayee, keyIds, at],
  );
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0].outcome;
}

export type DecidedRules = 'approved' | 'declined' | 'own' | 'none' | 'not_admin';

export async function decideApprovalRules(
  tx: Transaction,
  { sessionId, approves }: { sessionId: string; approves: boolean },
  at: Date,
): Promise<DecidedRules> {
  const { rows } = await tx.query<{ outcome: DecidedRules }>(
    'select kelpie.decide_approval_rules($1, $2, $3) as outcome',
    [sessionId, approves, at],
  );
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0].outcome;
}

/** The prefixes of keys by their ids, for people; an id that is no key of this environment is missing. */
export async function findKeyPrefixes(tx: Transaction, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ id: string; key_prefix: string }>(
    `select id, key_prefix from kelpie.api_keys
     where partner_id = kelpie.current_partner() and environment = kelpie.current_environment() and id = any ($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.key_prefix]));
}
