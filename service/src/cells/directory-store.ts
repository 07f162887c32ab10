import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { canAbort, MoveRefused, moveSteps, type CopyPosition, type PartnerMove, type MoveState } from './move.ts';

export interface PartnerPlace {
  partnerId: string;
  cell: string;
  isHeld: boolean;
}

export interface Changes {
  version: string;
  partners: PartnerPlace[];
}

/** What has changed since a version, with the version that it leads to. One statement, so that neither misses a commit. */
export async function readChanges(pool: Pool, since: string): Promise<Changes> {
  const { rows } = await pool.query<{ version: string; partners: PartnerPlace[] }>(
    `select v.number as version, coalesce((
       select jsonb_agg(jsonb_build_object('partnerId', p.partner_id, 'cell', p.cell, 'isHeld', p.held_by is not null))
       from directory.partners p where p.version > $1
     ), '[]') as partners
     from directory.version v`,
    [since],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the directory has a version');
  return row;
}

export async function listCells(pool: Pool): Promise<{ name: string; url: string }[]> {
  const { rows } = await pool.query<{ name: string; url: string }>(
    'select name, url from directory.cells order by name',
  );
  return rows;
}

export type Address =
  | { kind: 'key'; prefix: string }
  | { kind: 'slug'; slug: string }
  | { kind: 'session'; tokenHmac: Buffer };

/** Whose a request is. */
export async function findPartnerId(pool: Pool, address: Address): Promise<string | null> {
  const [text, value] =
    address.kind === 'key'
      ? ['select partner_id from directory.keys where prefix = $1', address.prefix]
      : address.kind === 'slug'
        ? ['select partner_id from directory.partners where slug = $1', address.slug]
        : ['select partner_id from directory.sessions where token_hmac = $1', address.tokenHmac];
  const { rows } = await pool.query<{ partner_id: string }>(text, [value]);
  return rows[0]?.partner_id ?? null;
}

/** What follows from this version has been done by this router. */
export async function acknowledgeVersion(pool: Pool, routerId: string, version: string): Promise<void> {
  await pool.query(
    `insert into directory.routers as r (id, seen_version, seen_at) values ($1, $2, clock_timestamp())
     on conflict (id) do update set seen_version = excluded.seen_version, seen_at = excluded.seen_at`,
    [routerId, version],
  );
}

export async function forgetRouter(pool: Pool, routerId: string): Promise<void> {
  await pool.query('delete from directory.routers where id = $1', [routerId]);
}

/** A router that has not been heard of for longer than this passes on nothing (routes/router.ts). */
const routerSilentMs = 5_000;

/** How many routers that work have not done yet what follows from what is held. */
export async function countRoutersBehind(pool: Pool, partnerId: string): Promise<number> {
  const { rows } = await pool.query<{ behind: number }>(
    `select count(*)::int as behind from directory.routers r
     where r.seen_at > clock_timestamp() - $2 * interval '1 millisecond'
       and r.seen_version < (select p.version from directory.partners p where p.partner_id = $1)`,
    [partnerId, routerSilentMs],
  );
  return rows[0]?.behind ?? 0;
}

async function raiseVersion(tx: Transaction): Promise<string> {
  const { rows } = await tx.query<{ number: string }>(
    'update directory.version set number = number + 1 returning number',
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the directory has a version');
  return row.number;
}

export async function addCell(pool: Pool, { name, url }: { name: string; url: string }): Promise<void> {
  await pool.query('insert into directory.cells (name, url) values ($1, $2)', [name, url]);
}

export interface PartnerAddresses {
  slug: string;
  keyPrefixes: string[];
  sessions: Buffer[];
}

/** Makes a partner of a cell known. A prefix or a slug of another partner fails it. */
export async function publishPartner(
  pool: Pool,
  { partnerId, cell }: Pick<PartnerPlace, 'partnerId' | 'cell'>,
  { slug, keyPrefixes, sessions }: PartnerAddresses,
): Promise<void> {
  await inTransaction(pool, 'shared', async (tx) => {
    const version = await raiseVersion(tx);
    await tx.query(
      `insert into directory.partners as p (partner_id, slug, cell, version) values ($1, $2, $3, $4)
       on conflict (partner_id) do update set slug = excluded.slug, version = excluded.version`,
      [partnerId, slug, cell, version],
    );
    await tx.query('delete from directory.keys where partner_id = $1', [partnerId]);
    await tx.query('insert into directory.keys (prefix, partner_id) select prefix, $2 from unnest($1::text[]) prefix', [
      keyPrefixes,
      partnerId,
    ]);
    await tx.query('delete from directory.sessions where partner_id = $1', [partnerId]);
    await tx.query(
      'insert into directory.sessions (token_hmac, partner_id) select hmac, $2 from unnest($1::bytea[]) hmac',
      [sessions, partnerId],
    );
  });
}

interface MoveRow {
  id: string;
  partner_id: string;
  from_cell: string;
  to_cell: string;
  step: MoveState;
  attempt: string;
  position: CopyPosition | null;
  held_ms: number | null;
  freeze_ms: number | null;
}

const moveColumns = `id, partner_id, from_cell, to_cell, step, attempt, position,
  (extract(epoch from clock_timestamp() - held_at) * 1000)::float8 as held_ms,
  (extract(epoch from released_at - held_at) * 1000)::float8 as freeze_ms`;

function readMove(row: MoveRow): PartnerMove {
  return {
    id: row.id,
    partnerId: row.partner_id,
    fromCell: row.from_cell,
    toCell: row.to_cell,
    state: row.step,
    attempt: row.attempt,
    position: row.position,
    heldMs: row.held_ms,
    freezeMs: row.freeze_ms,
  };
}

/** Begins a move, or takes up the one that is open. From now on, an earlier start of the mover changes nothing any more. */
export async function claimMove(
  pool: Pool,
  wanted: { id: string; partnerId: string; toCell: string },
): Promise<PartnerMove> {
  return inTransaction(pool, 'shared', async (tx) => {
    await tx.query(
      `insert into directory.moves (id, partner_id, from_cell, to_cell, step)
       select $1, p.partner_id, p.cell, $3, $4 from directory.partners p where p.partner_id = $2 and p.cell <> $3
       on conflict (partner_id) where step not in ('done', 'aborted') do nothing`,
      [wanted.id, wanted.partnerId, wanted.toCell, moveSteps[0]],
    );
    const { rows } = await tx.query<MoveRow>(
      `update directory.moves set attempt = attempt + 1
       where partner_id = $1 and to_cell = $2 and step not in ('done', 'aborted') returning ${moveColumns}`,
      [wanted.partnerId, wanted.toCell],
    );
    const [row] = rows;
    if (row === undefined) throw new MoveRefused('the partner is there already, or is being moved to another cell');
    return readMove(row);
  });
}

/** A later mover has taken it up: this one is to stop. */
export class MoveTaken extends Error {
  override readonly name = 'MoveTaken';
}

async function changeMove(
  tx: Transaction,
  { id, attempt, state }: PartnerMove,
  next: MoveState,
  besides = '',
): Promise<PartnerMove> {
  const { rows } = await tx.query<MoveRow>(
    `update directory.moves set step = $4 ${besides} where id = $1 and attempt = $2 and step = $3 returning ${moveColumns}`,
    [id, attempt, state, next],
  );
  const [row] = rows;
  if (row === undefined) throw new MoveRefused('the move is at another step, or another mover has it');
  return readMove(row);
}

/** As it is recorded, also where an answer was lost: an abort that follows this attempt can only be ours. */
export async function getMove(pool: Pool, { id, attempt }: PartnerMove): Promise<PartnerMove> {
  const { rows } = await pool.query<MoveRow>(
    `select ${moveColumns} from directory.moves
     where id = $1 and (attempt = $2::bigint or step = 'abort' and attempt = $2::bigint + 1)`,
    [id, attempt],
  );
  const [row] = rows;
  if (row === undefined) throw new MoveTaken('another mover has it');
  return readMove(row);
}

export async function advanceMove(pool: Pool, move: PartnerMove, next: MoveState): Promise<PartnerMove> {
  return inTransaction(pool, 'shared', async (tx) => changeMove(tx, move, next));
}

export async function savePosition(pool: Pool, { id, attempt }: PartnerMove, position: CopyPosition): Promise<void> {
  await pool.query('update directory.moves set position = $3 where id = $1 and attempt = $2', [
    id,
    attempt,
    JSON.stringify(position),
  ]);
}

/** From now on routers hold back what this partner sends. */
export async function holdPartner(pool: Pool, move: PartnerMove): Promise<void> {
  await inTransaction(pool, 'shared', async (tx) => {
    await changeMove(tx, move, move.state, ', held_at = coalesce(held_at, clock_timestamp())');
    await tx.query('update directory.partners set held_by = $2, version = $3 where partner_id = $1', [
      move.partnerId,
      move.id,
      await raiseVersion(tx),
    ]);
  });
}

/** The one commit by which the partner changes its cell. Routers still hold what it sends. */
export async function switchPartner(pool: Pool, move: PartnerMove, next: MoveState): Promise<PartnerMove> {
  return inTransaction(pool, 'shared', async (tx) => {
    const switched = await changeMove(tx, move, next);
    await tx.query('update directory.partners set cell = $3, version = $4 where partner_id = $1 and held_by = $2', [
      move.partnerId,
      move.id,
      move.toCell,
      await raiseVersion(tx),
    ]);
    return switched;
  });
}

export async function releasePartner(pool: Pool, move: PartnerMove, next: MoveState): Promise<PartnerMove> {
  return inTransaction(pool, 'shared', async (tx) => {
    const released = await changeMove(tx, move, next, ', released_at = clock_timestamp()');
    await tx.query(
      'update directory.partners set held_by = null, version = $3 where partner_id = $1 and held_by = $2',
      [move.partnerId, move.id, await raiseVersion(tx)],
    );
    return released;
  });
}

/** Refused once the partner has changed its cell. What is still under way of the step before changes nothing any more. */
export async function beginAbort(pool: Pool, move: PartnerMove): Promise<PartnerMove> {
  if (move.state !== 'abort' && !canAbort(move.state)) throw new MoveRefused('the partner has changed its cell');
  return inTransaction(pool, 'shared', async (tx) => changeMove(tx, move, 'abort', ', attempt = attempt + 1'));
}
