// The steps of `kelpie-admin recovery drill`.
import { chown, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../platform/api-error.ts';
import type { Anchor, AuditChain } from '../../platform/audit/chain.ts';
import { findHead } from '../../platform/audit/store.ts';
import { verifyAudit } from '../../platform/audit/verify-audit.ts';
import { BackupFault, type BackupFinding } from '../../platform/backup/backup-fault.ts';
import {
  findNewestBackup,
  restoreBackup,
  restoreCommand,
  type Backup,
  type Repository,
} from '../../platform/backup/pgbackrest.ts';
import { readRestoredState, type RestoredState } from '../../platform/backup/replay-store.ts';
import { startRestoredServer, type RestoredServer } from '../../platform/backup/restored-server.ts';
import { runProgram, type Owner } from '../../platform/backup/run-program.ts';
import { hasReplayed, segmentAfter } from '../../platform/backup/wal-position.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { describeError, type Logger } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withReader } from '../wiring/reader.ts';
import { counted, shortInstant } from './printing.ts';
import type { WholeVerification } from '../verification/verify-all.ts';
import { verifyWholeLedger } from './verify-ledger.ts';

export interface DrillDeps {
  clock: Clock;
  logger: Logger;
  chain: AuditChain;
  /** Of the audit log. Those of entries after the restored moment are counted as lost. */
  anchors: readonly Anchor[];
  owner: Owner | null;
  /** Aborted when an operator or the system ends the command. */
  interrupted: AbortSignal;
  /** Called at the start of each step. */
  during<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
}

export interface DrillOptions {
  configFile: string | null;
  stanza: string;
  database: string;
  /** The restored copy is a new folder in it. */
  directory: string;
  /** Null: where Debian has those of the backup's version. */
  programs: string | null;
  maxAgeHours: number;
  maxLossMinutes: number;
  timeoutMinutes: number;
}

export interface DrillReport {
  stanza: string;
  backup: (Backup & { ageSeconds: number }) | null;
  /** How long each step took. */
  seconds: { restore: number | null; recovery: number | null; verification: number | null };
  /** The newest moment that a restore brings back. */
  restoredTo: Date | null;
  lostSeconds: number | null;
  heartbeat: bigint | null;
  ledger: WholeVerification | null;
  audit: { rows: number; anchors: number; lostEntries: number; differences: readonly string[] } | null;
  findings: BackupFinding[];
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** The role that `ledger verify` and `audit verify` use too. */
const role = 'kelpie_reader';
/** A socket's path has at most 107 bytes. */
const longestFolder = 80;

interface Folders {
  root: string;
  data: string;
  sockets: string;
  locks: string;
  tablespaces: string;
}

async function createFolders({ directory }: DrillOptions, { owner }: DrillDeps): Promise<Folders> {
  const root = await mkdtemp(path.join(directory, 'kelpie-drill-')).catch(() => {
    throw new OperatorError(
      `${directory} cannot be written. Use --directory with a folder on a disk with enough space.`,
    );
  });
  const at = (name: string): string => path.join(root, name);
  const folders = { data: at('data'), sockets: at('sockets'), locks: at('locks'), tablespaces: at('tablespaces') };
  for (const folder of Object.values(folders)) await mkdir(folder, { mode: 0o700 });
  if (owner !== null) for (const folder of [root, ...Object.values(folders)]) await chown(folder, owner.uid, owner.gid);
  return { root, ...folders };
}

/** Refuses before the long work begins. */
async function requireSpace({ root }: Folders, backup: Backup): Promise<void> {
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize > backup.databaseBytes) return;
  throw new OperatorError(
    `The backup needs ${describeBytes(backup.databaseBytes)}, and ${describeBytes(bavail * bsize)} are free. Use --directory with a folder on a larger disk.`,
  );
}

/** As root we could create the folder, but PostgreSQL could not enter it. */
async function requireAccess({ data }: Folders, owner: Owner | null, signal: AbortSignal): Promise<void> {
  const { code } = await runProgram({ program: 'test', args: ['-w', data], owner, endsBy: 'SIGTERM' }, signal);
  if (code !== 0)
    throw new OperatorError('The user postgres cannot enter the folder. Use --directory with one that it can enter.');
}

export function describeBytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1024 ? `${mebibytes.toFixed(1)} MB` : `${(mebibytes / 1024).toFixed(1)} GB`;
}

interface Drill {
  deps: DrillDeps;
  options: DrillOptions;
  repository: Repository;
  startedAt: Date;
  report: DrillReport;
}

/** One step with its deadline. `work` ends by itself when its signal is aborted. */
async function inTime<Result>(
  { deps, options: { timeoutMinutes } }: Drill,
  what: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = AbortSignal.timeout(timeoutMinutes * minuteMs);
  try {
    return await deps.during(what, async () => work(AbortSignal.any([deadline, deps.interrupted])));
  } catch (error) {
    if (deps.interrupted.aborted)
      throw new OperatorError('Interrupted. Everything that the drill created was removed.', 'interrupted');
    if (!deadline.aborted) throw error;
    throw new BackupFault(
      'too_slow',
      `${what} took longer than ${counted(timeoutMinutes, 'minute')}. Find out why, or raise --timeout.`,
    );
  }
}

async function timed<Result>(keep: (seconds: number) => void, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    keep(Math.round(performance.now() - startedAt) / 1_000);
  }
}

async function findBackup(drill: Drill): Promise<Backup> {
  const { options, repository, startedAt, report } = drill;
  const backup = await inTime(drill, 'Listing the backups', async (signal) => findNewestBackup(repository, signal));
  const ageMs = startedAt.getTime() - backup.finishedAt.getTime();
  report.backup = { ...backup, ageSeconds: Math.max(0, Math.round(ageMs / 1_000)) };
  if (ageMs > options.maxAgeHours * hourMs)
    report.findings.push({
      code: 'backup_old',
      message: `The newest backup, ${backup.label}, is ${Math.floor(ageMs / hourMs)} hours old, and ${options.maxAgeHours} are allowed. Check the timer that takes backups, and take one.`,
    });
  if (backup.hasErrors)
    report.findings.push({
      code: 'backup_has_errors',
      message: `Page checksums failed while backup ${backup.label} was taken: the database itself is damaged. Fail over to a standby, and take a full backup there.`,
    });
  return backup;
}

/** Recovery ends without an error at the first segment that is missing or damaged, however many follow. */
function judgeReplay({ report }: Drill, state: RestoredState, server: RestoredServer, newestWal: string | null): void {
  const damage = server.damage();
  if (damage === undefined && (newestWal === null || hasReplayed(state, newestWal))) return;
  const last = server.lastSegment();
  const next = last === undefined ? undefined : segmentAfter(last, state.segmentBytes);
  const where = damage === undefined ? `segment ${next ?? 'after it'} is missing or damaged` : 'it is damaged';
  const why = damage ?? server.archiveError();
  report.findings.push({
    code: 'wal_missing',
    message: `The repository has WAL up to segment ${newestWal ?? '-'}, but recovery ended after ${last ?? 'the backup'}: ${where}${why === undefined ? '' : ` (${why})`}. Take a full backup now. Nothing after that segment can be restored.`,
  });
}

function judgeLoss({ options, startedAt, report }: Drill, { newestCommitAt, heartbeat }: RestoredState): void {
  const restoredTo = newestCommitAt ?? report.backup?.finishedAt ?? startedAt;
  const lostMs = Math.max(0, startedAt.getTime() - restoredTo.getTime());
  Object.assign(report, { restoredTo, heartbeat, lostSeconds: Math.round(lostMs / 1_000) });
  if (lostMs > options.maxLossMinutes * minuteMs)
    report.findings.push({
      code: 'work_lost',
      message: `The newest commit in the repository is from ${shortInstant(restoredTo)}, and ${counted(options.maxLossMinutes, 'minute')} of loss are allowed. Check that a worker runs, and that WAL is archived (pg_stat_archiver, \`pgbackrest check\`).`,
    });
}

/** An act after the restored moment is lost work. An older one must be in the log, as it was. */
async function verifyRestoredAudit({ deps, report }: Drill, pool: Pool): Promise<void> {
  const { chain, anchors } = deps;
  const head = await inTransaction(pool, 'shared', findHead);
  const restored = anchors.filter(({ seq }) => seq <= (head?.seq ?? 0n));
  const { rows, differences } = await inTransaction(pool, 'shared', async (tx) =>
    verifyAudit(tx, chain, { anchors: restored }),
  );
  report.audit = { rows, anchors: restored.length, lostEntries: anchors.length - restored.length, differences };
  if (differences.length > 0)
    report.findings.push({
      code: 'audit_differs',
      message: `The restored audit log has ${counted(differences.length, 'difference')}. The first: ${differences[0]}. Follow the runbook “Audit log broken”.`,
    });
}

async function verifyRestoredLedger({ deps, report }: Drill, url: string): Promise<void> {
  const ledger = await verifyWholeLedger(url, deps.logger);
  report.ledger = ledger;
  const [first] = ledger.differences;
  if (first !== undefined)
    report.findings.push({
      code: 'ledger_differs',
      message: `The restored ledger has ${counted(ledger.differences.length, 'difference')}. The first: ${first.kind} ${first.what}, expected ${first.expected}, found ${first.found}. Follow the runbook “Ledger difference”.`,
    });
}

const noSuchDatabase = '3D000';

async function verifyRestored(drill: Drill, server: RestoredServer, newestWal: string | null): Promise<void> {
  const { deps, options } = drill;
  const state = await withReader(server.url, deps.logger, async (pool) =>
    inTransaction(pool, 'shared', readRestoredState),
  ).catch((error: unknown) => {
    const cause: unknown = error instanceof ApiError ? error.cause : error;
    if (describeError(cause).code !== noSuchDatabase) throw error;
    throw new OperatorError(`The backup has no database ${options.database}. Name it with --database.`, 'not_found');
  });
  judgeReplay(drill, state, server, newestWal);
  judgeLoss(drill, state);
  await verifyRestoredLedger(drill, server.url);
  await withReader(server.url, deps.logger, async (pool) => verifyRestoredAudit(drill, pool), 'unhurried');
}

/** Rejects when the signal is aborted. What still reads then fails as the server stops. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(new Error('aborted'));
  signal.addEventListener('abort', onAbort);
  work.catch(() => undefined);
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function programsFor({ programs }: DrillOptions, { version }: Backup): string {
  return programs ?? `/usr/lib/postgresql/${version}/bin`;
}

async function restoreAndVerify(drill: Drill, backup: Backup, folders: Folders): Promise<void> {
  const { deps, options, repository, report } = drill;
  const { seconds } = report;
  await timed(
    (taken) => (seconds.restore = taken),
    async () =>
      inTime(drill, 'Restoring', async (signal) => {
        await requireAccess(folders, deps.owner, signal);
        await requireSpace(folders, backup);
        await restoreBackup(repository, backup, folders, signal);
      }),
  );
  const { data, sockets } = folders;
  const programs = programsFor(options, backup);
  const { database } = options;
  const command = restoreCommand(repository, folders);
  const server = await timed(
    (taken) => (seconds.recovery = taken),
    async () =>
      inTime(drill, 'Recovering', async (signal) =>
        startRestoredServer(
          { programs, data, sockets, owner: deps.owner, restoreCommand: command, database, role },
          signal,
        ),
      ),
  );
  try {
    await timed(
      (taken) => (seconds.verification = taken),
      async () =>
        inTime(drill, 'Verifying', async (signal) =>
          unlessAborted(signal, verifyRestored(drill, server, backup.newestWal)),
        ),
    );
  } finally {
    await server.stop();
  }
}

/** Restores the newest backup, verifies the copy and removes it. What is wrong with the backup is a finding. */
export async function drillBackup(deps: DrillDeps, options: DrillOptions): Promise<DrillReport> {
  const { configFile, stanza, directory } = options;
  if (directory.length > longestFolder)
    throw new OperatorError(`${directory} is too long. Use --directory with at most ${longestFolder} characters.`);
  const report: DrillReport = {
    stanza,
    backup: null,
    seconds: { restore: null, recovery: null, verification: null },
    restoredTo: null,
    lostSeconds: null,
    heartbeat: null,
    ledger: null,
    audit: null,
    findings: [],
  };
  const repository = { configFile, stanza, owner: deps.owner };
  const drill = { deps, options, repository, startedAt: deps.clock.now(), report };
  let folders: Folders | undefined;
  try {
    const backup = await findBackup(drill);
    folders = await createFolders(options, deps);
    await restoreAndVerify(drill, backup, folders);
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    report.findings.push({ code: error.code, message: error.message });
  } finally {
    if (folders !== undefined) await rm(folders.root, { recursive: true, force: true });
  }
  return report;
}
