import { InvalidArgumentError, type Command } from 'commander';
import {
  createDirectoryStore,
  digestKept,
  digestLines,
  digestMovingMonth,
  findObstacle,
  listMonthRecords,
  loadEntries,
  loadPayouts,
  openMonthFile,
  prepareMonth,
  stopArchive,
  ArchiveUnreadable,
  type MonthRecord,
} from '../../archive/index.ts';
import { killAtFailpoint, noFailpoint } from '../../platform/failpoint.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { required, settings } from '../../platform/configuration/settings.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  archiveMonth,
  explainObstacle,
  findRecord,
  removeFiles,
  returnMonth,
  type ArchivingDeps,
  type MovedMonth,
} from '../archiving/archive-month.ts';
import { createMonthMac } from '../verification/month-proof.ts';
import { verifyMonth } from '../verification/verify-month.ts';
import { withReader } from '../wiring/reader.ts';
import { describeBytes } from './drill-backup.ts';
import { exitCodes } from './failure.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { counted, print, shortInstant, table } from './printing.ts';
import {
  chosenSettings,
  commandLogger,
  createProgressWriter,
  describeDone,
  doneAsJson,
  look,
  readCommand,
  runAudited,
  withOperator,
  writeCommand,
  type ReadOptions,
  type WriteOptions,
} from './run-command.ts';

function monthArgument(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Use a month such as 2025-01.');
  return text;
}

/** What moving a month takes. Its key is that of the closed days, so that nobody with the database alone can prove another. */
function archiveSettings() {
  return chosenSettings((get) => ({
    folder: get(required(settings.archive)),
    key: get(required(settings.ledgerKey)),
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testFailpoint: get(settings.testFailpoint),
  }));
}

async function withArchiving<Result>(
  month: string,
  options: ReadOptions,
  work: (deps: ArchivingDeps) => Promise<Result>,
): Promise<Result> {
  const { folder, key, readerUrl, logLevel, testFailpoint } = archiveSettings();
  const failpoint = testFailpoint === null ? noFailpoint : killAtFailpoint(testFailpoint);
  const store = createDirectoryStore(folder);
  return withOperator(
    'operator',
    async (operator) =>
      withReader(
        readerUrl,
        commandLogger(logLevel),
        async (reader) =>
          work({
            month,
            store,
            reader,
            clock: operator.clock,
            macOf: createMonthMac(key),
            runStep: async (action, step) =>
              runAudited(operator, { dryRun: false }, async (tx) => {
                await operator.record(tx, { action, subject: month, detail: {} });
                return step(tx);
              }),
            verify: async () => verifyMonth(reader, store, month),
            prepare: async () => inTransaction(operator.pool, 'shared', async (tx) => prepareMonth(tx, month)),
            loadPayouts: async (lines) =>
              inTransaction(operator.pool, 'shared', async (tx) => loadPayouts(tx, month, lines)),
            loadEntries: async (lines) =>
              inTransaction(operator.pool, 'shared', async (tx) => loadEntries(tx, month, lines)),
            digest: async () => inTransaction(operator.pool, 'shared', async (tx) => digestMovingMonth(tx, month)),
            failpoint,
            report: createProgressWriter(options),
          }),
        'unhurried',
      ),
    'unhurried',
  );
}

/** What a dry run says. */
async function plan(month: string): Promise<void> {
  const { readerUrl, logLevel } = archiveSettings();
  await withReader(
    readerUrl,
    commandLogger(logLevel),
    async (reader) => {
      const record = await findRecord(reader, month);
      const obstacle =
        record !== null && record.state !== 'writing'
          ? 'archived'
          : await inTransaction(reader, 'shared', async (tx) => findObstacle(tx, month, new Date()));
      if (obstacle !== null) throw explainObstacle(month, obstacle);
    },
    'unhurried',
  );
}

function printMoved(options: WriteOptions, moved: MovedMonth | null, sentence: string): void {
  if (moved === null) print(options, { dryRun: true }, `Dry run. Nothing changed. Without --dry-run:\n${sentence}\n`);
  else
    print(
      options,
      { dryRun: false, ...moved },
      `${sentence}\n${counted(moved.payouts, 'payout')}, ${describeBytes(moved.bytes)} in the archive.\nEach step is recorded in the audit log.\n`,
    );
}

function addMonth(group: Command): void {
  const command = writeCommand(group.command('month'))
    .argument('<month>', 'the month, in UTC', monthArgument)
    .description(
      'Move a month of payouts, their histories and their ledger entries into the archive. It verifies the month, writes the files, reads them back, compares them with the database, and drops the month there. Partners read it as before. Run it again if it was interrupted.',
    )
    .action(async (month: string, options: WriteOptions) => {
      if (options.dryRun) {
        await plan(month);
        return printMoved(options, null, `${month} moves into the archive.`);
      }
      const moved = await withArchiving(month, options, archiveMonth);
      return printMoved(options, moved, `${month} is in the archive.`);
    });
  addHelp(command, {
    example: 'kelpie-admin archive month 2025-01',
    prints: 'How many payouts moved, and how large their files are.',
  });
}

function addReturn(group: Command): void {
  const command = writeCommand(group.command('return'))
    .argument('<month>', 'the month, in UTC', monthArgument)
    .description(
      'Restore a month from the archive into the database: to erase a person, or when the bank returns one of its payouts. Its files are removed at the end. Run it again if it was interrupted.',
    )
    .action(async (month: string, options: WriteOptions) => {
      const sentence = `${month} is in the database again.`;
      if (options.dryRun) {
        const record = await look(async (tx) => (await listMonthRecords(tx)).find((one) => one.month === month));
        if (record === undefined) throw new OperatorError(`${month} is not in the archive.`, 'nothing_to_do');
        return printMoved(options, null, sentence);
      }
      return printMoved(options, await withArchiving(month, options, returnMonth), sentence);
    });
  addHelp(command, {
    example: 'kelpie-admin archive return 2025-01',
    prints: 'How many payouts the database has again.',
  });
}

function addStop(group: Command): void {
  const command = writeCommand(group.command('stop'))
    .argument('<month>', 'the month, in UTC', monthArgument)
    .description(
      'Stop archiving a month that is still in the database. Its payouts can change again, and what was written is removed.',
    )
    .action(async (month: string, options: WriteOptions) => {
      const { folder } = archiveSettings();
      const { name, written } = await withOperator('operator', async (deps) =>
        runAudited(deps, options, async (tx) => {
          const recorded = await deps.record(tx, { action: 'month.stop', subject: month, detail: {} });
          const stopped = await stopArchive(tx, month);
          if (stopped === null) throw new OperatorError(`${month} is not being archived.`, 'nothing_to_do');
          return { name: stopped, written: recorded };
        }),
      );
      if (!options.dryRun) await removeFiles(createDirectoryStore(folder), name);
      const sentence = `${month} stays in the database.`;
      print(
        options,
        { month, ...doneAsJson(options.dryRun, written) },
        describeDone(sentence, options.dryRun, written),
      );
    });
  addHelp(command, { example: 'kelpie-admin archive stop 2025-01', prints: 'The audit log entry.' });
}

/** What a person should do about it, if anything. */
function standingOf({ state, isHere }: MonthRecord): string {
  if (state === 'archived') return isHere ? 'archived, not dropped yet' : 'archived';
  return state === 'writing' ? 'being written' : 'returning';
}

function addList(group: Command): void {
  const command = readCommand(group.command('list'))
    .description('List the months in the archive, and those on their way there or back. The oldest comes first.')
    .action(async ({ json }: ReadOptions) => {
      const months = await look(listMonthRecords);
      const rows = months.map((one) => [
        one.month,
        standingOf(one),
        one.payouts?.toString() ?? '-',
        one.bytes === null ? '-' : describeBytes(one.bytes),
        shortInstant(one.archivedAt),
        one.name,
      ]);
      const names = ['MONTH', 'STATE', 'PAYOUTS', 'SIZE', 'ARCHIVED', 'FILES'];
      print({ json }, months, table(names, rows, 'No month is in the archive.'));
    });
  addHelp(command, {
    example: 'kelpie-admin archive list',
    prints: 'One line per month: its state, how many payouts it has, how large its files are and what they are called.',
  });
}

interface VerifiedMonth {
  month: string;
  payouts: number;
  entries: number;
  problem: string | null;
}

async function verifyFiles(folder: string, key: Buffer, record: MonthRecord): Promise<VerifiedMonth> {
  const { month, name, manifestDigest, keptDigest, mac, rowsDigest, entriesDigest } = record;
  const found = { month, payouts: 0, entries: 0 };
  if (manifestDigest === null) return { ...found, problem: 'It is being written.' };
  if (mac !== createMonthMac(key)({ month, name, manifestDigest, keptDigest }))
    return { ...found, problem: 'It was not archived with this key.' };
  if ((await look(async (tx) => digestKept(tx, month))) !== keptDigest)
    return { ...found, problem: 'The sums that the database kept of it changed.' };
  try {
    const file = await openMonthFile(createDirectoryStore(folder), { month, name, manifestDigest });
    const payouts = await digestLines(file.payouts);
    const entries = await digestLines(file.entries);
    const isWhole = payouts.digest === rowsDigest && entries.digest === entriesDigest;
    const problem = isWhole ? null : 'Its lines are not those that were archived.';
    return { month, payouts: payouts.lines, entries: entries.lines, problem };
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    return { ...found, problem: `${error.message}.` };
  }
}

function addVerify(group: Command): void {
  const command = readCommand(group.command('verify'))
    .description(
      'Check every file of the archive against its digests. `ledger verify --all` also holds each of its days against what it held when it was closed. Exit code 1 if a file is damaged or missing.',
    )
    .action(async ({ json }: ReadOptions) => {
      const { folder, key } = archiveSettings();
      const report = createProgressWriter({ json });
      const verified: VerifiedMonth[] = [];
      for (const record of await look(listMonthRecords)) {
        report(`Reading ${record.month}`);
        verified.push(await verifyFiles(folder, key, record));
      }
      const damaged = verified.filter(({ problem }) => problem !== null);
      const lines = verified.map(
        ({ month, payouts, entries, problem }) =>
          `  ${month}: ${problem ?? `${counted(payouts, 'payout')}, ${counted(entries, 'ledger entry')}`}`,
      );
      const heading = `Read ${counted(verified.length, 'month')}: ${counted(damaged.length, 'problem')}.`;
      print({ json }, { months: verified }, `${[heading, ...lines].join('\n')}\n`);
      process.exitCode = damaged.length === 0 ? exitCodes.done : exitCodes.found;
    });
  addHelp(command, {
    example: 'kelpie-admin archive verify',
    prints: 'One line per month: how many payouts and entries its files have, or what is wrong with them.',
  });
}

export function addArchiveCommands(kelpie: Command): void {
  const group = kelpie
    .command('archive')
    .description('Move old months of payouts and their ledger entries out of the database and back.');
  addMonth(group);
  addReturn(group);
  addStop(group);
  addList(group);
  addVerify(group);
  addGroupHelp(group, {
    about:
      'Months that ended over 13 months ago can leave the database for compressed files in KELPIE_ARCHIVE. They are answered as before. docs/archive.md has the rules.',
    example: 'kelpie-admin archive list',
  });
}
