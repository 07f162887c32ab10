import type { Archive } from '../../archive/index.ts';
import type { MicroUsdc } from '../../money/amounts.ts';
import type { NameOldPayouts } from '../../payouts/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { readWithArchivedMovements } from '../archived/movements.ts';
import { listMovements, readFrame, type FrameRow, type MovementRow } from './store.ts';

// A wallet's month, and the proof of it. Movements are only ever added and have numbers without a gap, so a month is the same
// however often, and in however many pages, it is read: no transaction has to be kept open for it.

export interface Statement {
  beganAt: Date;
  endedAt: Date;
  firstNumber: bigint;
  nextNumber: bigint;
  opening: MicroUsdc;
  closing: MicroUsdc;
}

/** A statement that does not add up is never told. The text is for us, and names no more than numbers of movements. */
function doesNotAddUp(internal: string): ApiError {
  return new ApiError({
    code: 'internal_error',
    message: 'We cannot show this statement because its balances do not match.',
    contactSupport: true,
    internal: `a statement does not add up: ${internal}`,
  });
}

/** Opening, movements and closing agree with each other, and with what the ledger says from the other side of the border. */
function proven({ movements, moved, heldAfter, ...frame }: FrameRow): Statement {
  const { opening, closing, firstNumber, nextNumber } = frame;
  const place = `movements ${firstNumber} to ${nextNumber}`;
  if (opening === null || closing === null) throw doesNotAddUp(`${place} have a gap at a border`);
  if (movements !== nextNumber - firstNumber) throw doesNotAddUp(`${place} are ${movements}`);
  if (opening + moved !== closing) throw doesNotAddUp(`${place} do not lead from opening to closing`);
  if (closing !== heldAfter) throw doesNotAddUp(`${place} do not end with what the wallet held`);
  return { ...frame, opening, closing };
}

/** The month of a wallet, as far as it has gone: `firstDay` is London's. */
export async function readStatement(calls: SingleCalls, of: PartnerContext, firstDay: string): Promise<Statement> {
  const frame = await readFrame(calls, of, firstDay);
  if (frame === null) throw new Error('the partner has no wallet in this environment');
  return proven(frame);
}

/** Each movement has the next number, and leads from the balance before it to its own. */
function follow(movements: readonly MovementRow[], from: { number: bigint; balance: MicroUsdc }): void {
  let { number, balance } = from;
  for (const movement of movements) {
    balance += movement.change;
    if (movement.number !== number || movement.balance !== balance)
      throw doesNotAddUp(`movement ${number} does not follow from the one before`);
    number += 1n;
  }
}

/** A page has as many movements as there are numbers, and the month's last one ends with its closing balance. */
function assertWhole(
  statement: Statement,
  movements: readonly MovementRow[],
  { from, limit }: { from: bigint; limit: number },
): void {
  const left = statement.nextNumber - from;
  const expected = left < BigInt(limit) ? left : BigInt(limit);
  if (BigInt(movements.length) !== expected) throw doesNotAddUp(`from movement ${from} on some are missing`);
  const last = movements.at(-1);
  if (last?.number === statement.nextNumber - 1n && last.balance !== statement.closing)
    throw doesNotAddUp(`movement ${last.number} is the last, and does not end with the closing balance`);
}

export interface StatementDeps {
  calls: SingleCalls;
  archive: Archive;
  nameOldPayouts: NameOldPayouts;
}

/** Payouts that have left the database are named all the same. */
async function withOldPayouts(
  { nameOldPayouts }: StatementDeps,
  of: PartnerContext,
  rows: MovementRow[],
): Promise<MovementRow[]> {
  const nameless = rows.filter(({ payoutId, reason }) => payoutId === null && reason.startsWith('payout.'));
  if (nameless.length === 0) return rows;
  const named = await nameOldPayouts(
    of,
    nameless.map(({ causeId }) => causeId),
  );
  return rows.map((row) => {
    const payout = row.payoutId === null ? named.get(row.causeId) : undefined;
    return payout === undefined
      ? row
      : { ...row, payoutId: payout.isVisible ? payout.id : null, reference: payout.reference };
  });
}

/** Some movements of the month, from a number of it on. The one before them is read too: they have to follow from it. */
export async function readMovements(
  deps: StatementDeps,
  of: PartnerContext,
  statement: Statement,
  { from, limit }: { from: bigint; limit: number },
): Promise<MovementRow[]> {
  const isFirst = from === statement.firstNumber;
  const read = isFirst ? { from, limit } : { from: from - 1n, limit: limit + 1 };
  const { beganAt, endedAt } = statement;
  const end = read.from + BigInt(read.limit);
  const before = end < statement.nextNumber ? end : statement.nextNumber;
  const rows = await readWithArchivedMovements(
    deps.archive,
    of,
    { beganAt, endedAt, from: read.from, before },
    async (lines) => listMovements(deps.calls, of, statement, { ...read, lines }),
  );
  assertWhole(statement, rows, read);
  const balance = isFirst ? statement.opening : (rows.shift()?.balance ?? 0n);
  follow(rows, { number: from, balance });
  return withOldPayouts(deps, of, rows);
}

/** As many at a time as one look at the database gives quickly, and as few as a process can hold for many callers. */
const movementsAtOnce = 1_000;

/** All movements of the month, some at a time: what is not read from here is not read from the database either. */
export async function* walkMovements(
  deps: StatementDeps,
  of: PartnerContext,
  statement: Statement,
): AsyncGenerator<MovementRow[]> {
  let from = statement.firstNumber;
  while (from < statement.nextNumber) {
    const rows = await readMovements(deps, of, statement, { from, limit: movementsAtOnce });
    yield rows;
    from += BigInt(rows.length);
  }
}
