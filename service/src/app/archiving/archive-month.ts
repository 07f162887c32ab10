// Moves a month of payouts, with the entries of the ledger that they caused, out of the database and back. Each step is a
// transaction with its entry in the audit log, and is safe to repeat: a command that was killed is run again.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  beginArchive,
  beginReturn,
  digestLines,
  dropArchived,
  fileNames,
  finishArchive,
  finishReturn,
  listMonthRecords,
  openMonthFile,
  readEntryLines,
  readPayoutLines,
  walkBlocks,
  writeMonth,
  type ArchiveStore,
  type MonthRecord,
} from '../../archive/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { isLocked } from '../../platform/database/lock-retries.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { MonthMacOf } from '../verification/month-proof.ts';

/** One transaction, which first writes that the operator does this to the month. */
type RunStep = <Done>(action: StepAction, work: (tx: Transaction) => Promise<Done>) => Promise<Done>;
type StepAction = 'month.archive' | 'month.written' | 'month.drop' | 'month.return' | 'month.returned';

export interface ArchivingDeps {
  month: string;
  store: ArchiveStore;
  /** As the reading role, without a deadline. */
  reader: Pool;
  clock: Clock;
  macOf: MonthMacOf;
  runStep: RunStep;
  /** Prepares what stays in the database of its entries. */
  prepare: () => Promise<void>;
  /** How many differences its days have, each held against what it held when it was closed. */
  verify: () => Promise<number>;
  /** Loads lines into the tables of the month, which are not read yet. */
  loadPayouts: (lines: readonly string[]) => Promise<void>;
  loadEntries: (lines: readonly string[]) => Promise<void>;
  /** Digests what the database holds of it. */
  digest: () => Promise<void>;
  failpoint: Failpoint;
  report: (text: string) => void;
}

export async function findRecord(reader: Pool, month: string): Promise<MonthRecord | null> {
  const records = await inReadOnlyTransaction(reader, 'shared', listMonthRecords);
  return records.find((one) => one.month === month) ?? null;
}

/** Why a month stays, by what kelpie.archive_obstacle says. */
const obstacles: Readonly<Record<string, string>> = {
  archived: 'It is in the archive.',
  missing: 'The database has no such month.',
  young: 'It ended less than 13 months ago.',
  payouts_open: 'One of its payouts is not final, or a worker follows it. `kelpie-admin payouts stuck` may show it.',
  changed: 'One of its payouts changed in the last 5 months.',
  open_cases: 'A case about one of its payouts is open. `kelpie-admin cases list` shows it.',
  open_days: 'A day of it is not closed. The nightly verification closes days that have no difference.',
  open_books: 'A partner has not been invoiced for it. Run `kelpie-admin invoices run`.',
  open_invoices: 'An invoice of it is not settled. `kelpie-admin invoices list` shows it.',
  without_body: 'A payout of it was rebuilt from the bank’s record, and its request was not repeated since.',
};

export function explainObstacle(month: string, obstacle: string): OperatorError {
  return new OperatorError(`${month} cannot be archived. ${obstacles[obstacle] ?? obstacle}`, 'month_not_ready');
}

const mostTries = 60;
const pauseMs = 500;

/** The database wants it later. The transaction, with its entry in the audit log, is undone. */
class NotYet extends Error {}

/** Tries again while the tables are in use, and while the database wants it later. */
async function untilDone<Done>(work: () => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotYet) && !isLocked(error)) throw error;
    }
    if (tries === mostTries)
      throw new OperatorError('The tables are in use. Everything so far is kept: run the command again.', 'busy');
    await wait(pauseMs);
  }
}

export interface MovedMonth {
  month: string;
  payouts: number;
  bytes: number;
}

/** Writes a month into the archive, reads it back, and drops it from the database. */
export async function archiveMonth(deps: ArchivingDeps): Promise<MovedMonth> {
  const { month, reader, failpoint, report } = deps;
  const before = await findRecord(reader, month);
  if (before?.state === 'returning')
    throw new OperatorError(
      `${month} is on its way back. Run \`kelpie-admin archive return ${month}\`.`,
      'month_returning',
    );
  if (before === null || before.state === 'writing') await writeFiles(deps, before);
  await failpoint('archive.before_drop');
  await drop(deps, before);
  report(`Dropped ${month} from the database`);
  const after = await findRecord(reader, month);
  return { month, payouts: after?.payouts ?? 0, bytes: after?.bytes ?? 0 };
}

async function drop({ month, runStep }: ArchivingDeps, before: MonthRecord | null): Promise<void> {
  const outcome = await untilDone(async () =>
    runStep('month.drop', async (tx) => {
      const dropped = await dropArchived(tx, month);
      if (dropped === 'wait') throw new NotYet();
      return dropped;
    }),
  );
  if (outcome === 'not_archived') throw new OperatorError(`${month} is not in the archive.`, 'month_moved');
  if (outcome === 'absent' && before?.isHere === false)
    throw new OperatorError(`${month} is in the archive already.`, 'nothing_to_do');
}

async function writeFiles(deps: ArchivingDeps, before: MonthRecord | null): Promise<void> {
  const { month, store, reader, clock, macOf, runStep, failpoint, report } = deps;
  const name = `${month}-${randomBytes(4).toString('hex')}`;
  const obstacle = await untilDone(async () =>
    runStep('month.archive', async (tx) => beginArchive(tx, { month, name, at: clock.now() })),
  );
  if (obstacle !== null) throw explainObstacle(month, obstacle);
  await failpoint('archive.begun');
  if (before !== null) await removeFiles(store, before.name);
  report(`Verifying ${month}`);
  const differences = await deps.verify();
  if (differences > 0)
    throw new OperatorError(
      `The ledger differs in ${month}. Nothing was dropped. Run \`kelpie-admin archive stop ${month}\`, then \`kelpie-admin ledger verify --all\`.`,
      'month_differs',
    );
  await deps.prepare();
  report(`Writing ${month}`);
  const { manifest, manifestDigest } = await inReadOnlyTransaction(reader, 'shared', async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const lines = { payouts: readPayoutLines(tx, month), entries: readEntryLines(tx, month) };
    return writeMonth(store, { month, name }, lines);
  });
  await failpoint('archive.files_written');
  report(`Reading ${month} back`);
  const file = await openMonthFile(store, { month, name, manifestDigest });
  const payouts = await digestLines(file.payouts);
  const entries = await digestLines(file.entries);
  await deps.digest();
  const keptDigest = (await findRecord(reader, month))?.keptDigest ?? '';
  const isWhole = await runStep('month.written', async (tx) =>
    finishArchive(tx, {
      month,
      name,
      payouts: payouts.lines,
      rowsDigest: payouts.digest,
      entries: entries.lines,
      entriesDigest: entries.digest,
      manifestDigest,
      mac: macOf({ month, name, manifestDigest, keptDigest }),
      bytes: manifest.payouts.bytes + manifest.entries.bytes,
    }),
  );
  if (!isWhole)
    throw new OperatorError(
      `The files of ${month} are not what the database holds. Nothing was dropped.`,
      'month_differs',
    );
  await failpoint('archive.written');
}

export async function removeFiles(store: ArchiveStore, name: string): Promise<void> {
  const { payouts, entries, manifest } = fileNames(name);
  for (const file of [manifest, payouts, entries]) await store.remove(file);
}

/** Loads a month from the archive into the database again. Its files are removed at the end: another attempt makes others. */
export async function returnMonth(deps: ArchivingDeps): Promise<MovedMonth> {
  const { month, store, reader, runStep, failpoint, report } = deps;
  const record = await findRecord(reader, month);
  if (record === null || record.manifestDigest === null)
    throw new OperatorError(`${month} is not in the archive.`, 'nothing_to_do');
  const { name, manifestDigest, keptDigest, payouts, bytes } = record;
  if (record.mac !== deps.macOf({ month, name, manifestDigest, keptDigest }))
    throw new OperatorError(`${month} was not archived with this KELPIE_LEDGER_KEY.`, 'month_unproved');
  const file = await openMonthFile(store, { month, name, manifestDigest });
  if (!(await runStep('month.return', async (tx) => beginReturn(tx, month))))
    throw new OperatorError(
      `${month} is still in the database. Run \`kelpie-admin archive month ${month}\` to finish.`,
      'month_here',
    );
  await failpoint('archive.return_begun');
  report(`Loading ${month}`);
  for await (const lines of walkBlocks(file.payouts)) await deps.loadPayouts(lines);
  for await (const lines of walkBlocks(file.entries)) await deps.loadEntries(lines);
  await failpoint('archive.loaded');
  await deps.digest();
  const isBack = await untilDone(async () => runStep('month.returned', async (tx) => finishReturn(tx, month)));
  if (!isBack)
    throw new OperatorError(`What was loaded is not what was archived. The archive still answers.`, 'month_differs');
  await failpoint('archive.returned');
  await removeFiles(store, name);
  return { month, payouts: payouts ?? 0, bytes: bytes ?? 0 };
}
