// The rows that name a member, by their email address. Reads every row of tables that have no index by a person: seconds per
// million.
import type { Transaction } from '../../platform/database/transaction.ts';

interface Place {
  table: string;
  /** What an export shows of a row. Digests and secrets are left out. */
  shown: string;
  /** $1 is the address, $2 the same as a text in JSON. */
  where: string;
  /** The id by which an erasure finds the row again; none where it looks for the address itself. */
  id?: string;
}

/** The address itself, and not as a part of another person's. */
const inDetail = 'by = $1 or strpos(detail, $1) > 0 and kelpie.without_address(detail, $1) <> detail';

/** A test compares them with the columns of the class `person`. */
export const memberPlaces: readonly Place[] = [
  {
    table: 'members',
    shown: 'partner_id, email, name, role, invited_by, created_at, last_login_at',
    where: '$1 in (email, invited_by)',
  },
  {
    table: 'sessions',
    shown: 'id, partner_id, email, created_at, last_seen_at, revoked_at, network, browser',
    where: 'email = $1',
  },
  {
    table: 'passkeys',
    shown: 'id, partner_id, email, name, created_at, last_used_at',
    where: 'email = $1',
  },
  { table: 'partners', shown: 'id, slug, contact_email, billing_email', where: '$1 in (contact_email, billing_email)' },
  { table: 'invoices', shown: 'id, partner_id, number, billed_to_email, issued_at', where: 'billed_to_email = $1' },
  { table: 'api_keys', shown: 'id, partner_id, environment, key_prefix, label, created_by', where: 'created_by = $1' },
  {
    table: 'payout_requests',
    shown:
      'id, partner_id, environment, state, amount_pence, requested_by, requester, approved_by, declined_by, decided_at, payout_id',
    where: '$1 in (requested_by, requester, approved_by, declined_by)',
    id: 'id',
  },
  { table: 'approval_rules', shown: 'partner_id, environment, pending_by, pending_at', where: 'pending_by = $1' },
  { table: 'payouts', shown: 'id, partner_id, environment, created_by', where: 'created_by = $1', id: 'id' },
  {
    table: 'payout_history',
    shown: 'payout_id, number, partner_id, environment, at, what, by',
    where: 'by = $1',
    id: 'payout_id',
  },
  {
    table: 'activity',
    shown: 'id, partner_id, environment, action, status, by, detail',
    where: inDetail,
    id: 'id',
  },
  { table: 'activity_pages', shown: 'id, partner_id, entries', where: 'strpos(entries::text, $2) > 0', id: 'id' },
  {
    table: 'security_events',
    shown: 'id, partner_id, environment, action, status, by, detail, network, browser',
    where: inDetail,
    id: 'id',
  },
  {
    table: 'events',
    shown: 'id, partner_id, environment, type, at, snapshot',
    where: 'strpos(snapshot::text, $2) > 0',
    id: 'id',
  },
  { table: 'payment_blocks', shown: 'id, partner_id, cause, reason, since, by', where: 'by = left($1, 80)' },
  { table: 'payment_block_history', shown: 'id, partner_id, cause, reason, at, by', where: 'by = left($1, 80)' },
  { table: 'proposals', shown: 'id, action, detail, proposed_at, outcome', where: 'strpos(detail, $2) > 0' },
  { table: 'audit_log', shown: 'seq, at, action, detail', where: 'strpos(detail, $2) > 0' },
];

/** A person has some thousand at most. */
const mostRows = 100_000;

export type PersonRows = Readonly<Record<string, readonly object[]>>;

/** Runs as kelpie_reader, without a deadline. */
export async function listMemberRows(tx: Transaction, email: string): Promise<PersonRows> {
  const found: Record<string, readonly object[]> = {};
  for (const { table, shown, where } of memberPlaces) {
    const { rows } = await tx.query(
      `select ${shown} from kelpie.${table} where ($1::text, $2::text) is not null and (${where}) limit ${mostRows + 1}`,
      [email, JSON.stringify(email)],
    );
    if (rows.length > mostRows) throw new Error(`more than ${mostRows} rows of ${table} name one person`);
    if (rows.length > 0) found[table] = rows;
  }
  return found;
}

/** The ids by which an erasure finds them. */
export function idsOf(found: PersonRows): string[] {
  const ids = memberPlaces.flatMap(({ table, id }) =>
    id === undefined ? [] : (found[table] ?? []).map((row) => String(Reflect.get(row, id))),
  );
  return [...new Set(ids)];
}
