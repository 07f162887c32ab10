import type { ArchiveStore } from '../../archive/index.ts';
import {
  createDayChain,
  dayAfter,
  findFirstDay,
  findReadUntil,
  formatDayAnchor,
  insertClosedDay,
  insertVerification,
  judgeChain,
  listClosedDays,
  noMac,
  openDayAt,
  parseDayAnchor,
  spanBetween,
  type ClosedDay,
  type Day,
  type DayAnchor,
  type DifferenceRow,
  type Verification,
} from '../../ledger/index.ts';
import { appendAnchorLine, readAnchorLines } from '../../platform/anchor-file.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, inTransaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logging.ts';
import { createLeftMonths, type LeftMonths } from './left-months.ts';
import { createMonthMac, judgeMonths } from './month-proof.ts';
import { verifyClosedDay, verifyDay, verifyInvoicesOf, verifyOpenDays } from './verify-books.ts';

/** Of the closed days, so many are read again each night: a year of them in a month. */
const oldDaysPerNight = 12;

export interface NightlyDeps {
  /** As kelpie_reader, without a deadline. */
  reader: Pool;
  pool: Pool;
  clock: Clock;
  logger: Logger;
  key: Buffer;
  anchorFile: string;
  /** Where months are that have left the database; null where nobody said. */
  archiveStore: ArchiveStore | null;
}

/** What one night has found so far. */
interface Night {
  deps: NightlyDeps;
  signal: AbortSignal;
  left: LeftMonths;
  closed: ClosedDay[];
  entries: number;
  differences: DifferenceRow[];
}

export async function readDayAnchors(file: string): Promise<DayAnchor[]> {
  const lines = await readAnchorLines(file);
  return lines.map((line, at) => {
    const anchor = parseDayAnchor(line);
    // Skipping it would hide what it was.
    if (anchor === undefined) throw new Error(`line ${at + 1} of the anchors of the ledger is not one`);
    return anchor;
  });
}

function add(night: Night, { entries, differences }: Pick<Verification, 'entries' | 'differences'>): void {
  night.entries += entries;
  night.differences.push(...differences);
}

/** Anchors are appended after the commit of their day: one that was missed, by a crash between the two, is made good. */
async function checkChain(night: Night): Promise<void> {
  const { key, anchorFile } = night.deps;
  const anchors = await readDayAnchors(anchorFile);
  const differences = judgeChain(night.closed, createDayChain(key), anchors);
  night.differences.push(...differences);
  const last = anchors.at(-1)?.day ?? '';
  if (differences.length > 0) return;
  for (const closed of night.closed.filter(({ day }) => day > last))
    await appendAnchorLine(anchorFile, formatDayAnchor(closed));
}

async function closeDay({ deps, closed }: Night, day: Day, held: Pick<ClosedDay, 'entries' | 'orders'>): Promise<void> {
  const open = { day, ...held, previousMac: closed.at(-1)?.mac ?? noMac };
  const whole = { ...open, mac: createDayChain(deps.key)(open) };
  await inTransaction(deps.pool, 'shared', async (tx) => insertClosedDay(tx, whole, deps.clock.now()));
  await appendAnchorLine(deps.anchorFile, formatDayAnchor(whole));
  closed.push(whole);
}

/** A day is closed once it is right, and after the one before it: what is wrong stays open, and is found every night. */
async function closeDays(night: Night): Promise<Day | null> {
  const { reader, clock } = night.deps;
  const last = night.closed.at(-1);
  let day = last === undefined ? await inReadOnlyTransaction(reader, 'shared', findFirstDay) : dayAfter(last.day);
  const openDay = openDayAt(clock.now());
  while (day !== null && day < openDay && night.differences.length === 0) {
    night.signal.throwIfAborted();
    const { held, ...verification } = await verifyDay(reader, day, night.left);
    if (verification.differences.length > 0) break;
    add(night, verification);
    await closeDay(night, day, held);
    day = dayAfter(day);
  }
  return day;
}

/** The next old days after those of the last night, from the first one again after the last. */
function nextOldDays(closed: readonly ClosedDay[], readUntil: Day | null): readonly ClosedDay[] {
  const after = readUntil === null ? -1 : closed.findIndex(({ day }) => day === readUntil);
  const next = closed.slice(after + 1, after + 1 + oldDaysPerNight);
  return next.length > 0 ? next : closed.slice(0, oldDaysPerNight);
}

async function readOldDays(night: Night, days: readonly ClosedDay[]): Promise<void> {
  for (const day of days) {
    night.signal.throwIfAborted();
    add(night, await verifyClosedDay(night.deps.reader, day, night.left));
  }
}

/** Invoices of last month and this one, and of the months of the old days. */
async function readInvoices(night: Night, days: readonly ClosedDay[]): Promise<void> {
  const { reader, clock } = night.deps;
  const now = clock.now();
  const monthAgo = new Date(now);
  monthAgo.setUTCDate(monthAgo.getUTCDate() - 31);
  const [first, last] = [days.at(0), days.at(-1)];
  const recent = spanBetween(monthAgo, now);
  night.differences.push(...(await verifyInvoicesOf(reader, recent)).differences);
  if (first === undefined || last === undefined) return;
  const old = spanBetween(new Date(first.day), new Date(last.day));
  night.differences.push(...(await verifyInvoicesOf(reader, old)).differences);
}

/**
 * What is open, and a share of what is closed: the work of a night does not grow with the years. Days that are right and
 * over are closed. What differs is an alarm.
 */
export async function verifyNightly(
  deps: NightlyDeps,
  signal: AbortSignal,
): Promise<{ entries: number; differences: number }> {
  const { reader, pool, clock, logger } = deps;
  const beganAt = clock.now();
  const before = await inReadOnlyTransaction(reader, 'shared', listClosedDays);
  const left = createLeftMonths(reader, deps.archiveStore);
  const night: Night = { deps, signal, left, closed: [...before], entries: 0, differences: [] };
  await checkChain(night);
  night.differences.push(...(await judgeMonths(reader, left, createMonthMac(deps.key))));
  const openFrom = await closeDays(night);
  add(night, await verifyOpenDays(reader, openFrom, night.left));
  const oldDays = nextOldDays(before, await inReadOnlyTransaction(reader, 'shared', findReadUntil));
  await readOldDays(night, oldDays);
  await readInvoices(night, oldDays);
  const { entries, differences } = night;
  await inTransaction(pool, 'shared', async (tx) =>
    insertVerification(tx, {
      id: newId(clock),
      beganAt,
      endedAt: clock.now(),
      entries,
      differences: differences.length,
      readUntil: oldDays.at(-1)?.day ?? null,
    }),
  );
  if (differences.length > 0) logger.error({ differences: differences.length }, 'ledger.differs');
  else logger.info({ rows: entries }, 'ledger.verified');
  return { entries, differences: differences.length };
}
