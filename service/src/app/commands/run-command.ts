// What every command shares: options, settings, and how it reads or writes.
import { InvalidArgumentError, type Command } from 'commander';
import { appendAnchorLine } from '../../platform/anchor-file.ts';
import { createAuditChain } from '../../platform/audit/chain.ts';
import { readLogin } from '../../platform/audit/store.ts';
import { vouching } from '../../platform/audit/vouching.ts';
import { writeAct, type Act, type AuditDeps, type WrittenAct } from '../../platform/audit/write-act.ts';
import type { Clock } from '../../platform/clock.ts';
import { readConfiguration, type ChooseSettings } from '../../platform/configuration/configuration.ts';
import { openPool, type Pace, type Pool } from '../../platform/database/pool.ts';
import {
  inTransaction,
  inUndoneTransaction,
  type Transaction,
  type TransactionContext,
} from '../../platform/database/transaction.ts';
import { isUuid } from '../../platform/ids.ts';
import { createLogger, type Logger } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { optional, settings } from '../../platform/configuration/settings.ts';
import { clockFor } from '../wiring/process.ts';
import { withReader } from '../wiring/reader.ts';

export interface ReadOptions {
  json: boolean;
}

export interface WriteOptions extends ReadOptions {
  dryRun: boolean;
}

export interface WithReason extends WriteOptions {
  reason: string;
}

/** A command that changes nothing. */
export function readCommand(command: Command): Command {
  return command.option('--json', 'print the result as JSON', false);
}

/** A command that changes something. The audit log records the login of the operator who ran it. */
export function writeCommand(command: Command): Command {
  return readCommand(command).option('--dry-run', 'print what would happen and change nothing', false);
}

export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', 'reason, for the audit log', (text: string) => {
    if (text.trim() === '' || text.length > 500) throw new InvalidArgumentError('Use 1 to 500 characters.');
    return text;
  });
}

function rowLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new InvalidArgumentError('Use a whole number from 1 to 1000.');
  return limit;
}

/** Every list is bounded. */
export function limited(command: Command): Command {
  return command.option('--limit <rows>', 'maximum number of rows', rowLimit, 50);
}

/** A UUID in lower case, as the database writes it; undefined where the text is not one. */
export function idFrom(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

export function chosenSettings<Configuration>(
  choose: ChooseSettings<Configuration>,
  env: NodeJS.ProcessEnv = process.env,
): Configuration {
  return readConfiguration(env, choose);
}

/** Logs go to standard error, because programs parse standard output. */
export function commandLogger(logLevel: string): Logger {
  return createLogger('cli', logLevel, process.stderr);
}

/** Reads as kelpie_reader, which sees every partner's rows and can't write. */
export async function look<Found>(
  read: (tx: Transaction, now: Date) => Promise<Found>,
  pace: 'command' | 'unhurried' = 'command',
): Promise<Found> {
  const { readerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const now = clockFor(testClockFile).now();
  return withReader(
    readerUrl,
    commandLogger(logLevel),
    async (pool) => inTransaction(pool, 'shared', async (tx) => read(tx, now)),
    pace,
  );
}

export interface OperatorDeps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  operator: string;
  /** Records the act in the transaction that performs it. */
  record: (tx: Transaction, act: Omit<Act, 'operator'>) => Promise<WrittenAct>;
  /** For a command that writes its own audit entry. */
  recordBy: (write: (deps: AuditDeps) => Promise<WrittenAct>) => Promise<WrittenAct>;
  /** Recording works only inside this: an operator's connection vouches for a transaction of the service's role. */
  whileVouched: <Done>(act: () => Promise<Done>) => Promise<Done>;
  /** Appends the committed entry to the anchor file, outside the database. */
  keepRecorded: () => Promise<void>;
}

/** The audit log records who acts by their login, which the database checks again. */
async function requireOperator(operators: Pool): Promise<string> {
  const { login, isOperator } = await inTransaction(operators, 'shared', readLogin);
  if (isOperator) return login;
  throw new OperatorError(
    `${login} is not an operator. KELPIE_OPERATOR_DATABASE_URL must use your own login in the role kelpie_operator.`,
    'operator_required',
  );
}

/** The act is committed by now, so an anchor that can't be written is a warning. */
async function keepAnchor(file: string, { seq, mac }: WrittenAct): Promise<void> {
  try {
    await appendAnchorLine(file, `${seq}:${mac}`);
  } catch {
    process.stderr.write(
      `Warning: the change is committed, but ${file} (KELPIE_AUDIT_ANCHORS) cannot be written. Save this anchor yourself: ${seq}:${mac}\n`,
    );
  }
}

type Role = 'operator' | 'service';

function settingsOf(as: Role) {
  return chosenSettings((get) => ({
    operatorUrl: get(settings.operatorDatabaseUrl),
    serviceUrl: as === 'service' ? get(settings.databaseUrl) : null,
    rowKeys: as === 'service' ? get(settings.rowKey) : get(optional(settings.rowKey)),
    auditKey: get(settings.auditKey),
    anchors: get(settings.auditAnchors),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
}

/** The operator's own role needs no voucher. */
function createRecording(
  operators: Pool,
  as: Role,
  { operator, anchors, ...deps }: Omit<AuditDeps, 'voucher'> & { operator: string; anchors: string | null },
): Pick<OperatorDeps, 'record' | 'recordBy' | 'whileVouched' | 'keepRecorded'> {
  let recorded: WrittenAct | null = null;
  let voucher: Buffer | null = null;
  const recordBy: OperatorDeps['recordBy'] = async (write) => {
    recorded = await write({ ...deps, voucher });
    return recorded;
  };
  return {
    recordBy,
    record: async (tx, act) => recordBy(async (audit) => writeAct(tx, audit, { ...act, operator })),
    whileVouched: async (act) =>
      as === 'operator'
        ? act()
        : vouching(operators, async (made) => {
            voucher = made;
            return act();
          }),
    async keepRecorded() {
      if (recorded !== null && anchors !== null) await keepAnchor(anchors, recorded);
    },
  };
}

/** Runs a write with the dependencies and the database role that it needs. */
export async function withOperator<Result>(
  as: Role,
  work: (deps: OperatorDeps) => Promise<Result>,
  pace: Pace = 'command',
): Promise<Result> {
  const { operatorUrl, serviceUrl, rowKeys, auditKey, anchors, logLevel, testClockFile } = settingsOf(as);
  const logger = commandLogger(logLevel);
  const clock = clockFor(testClockFile);
  // One for the transaction, one for the job engine's lookups meanwhile.
  const keys = rowKeys === null ? {} : { rowKeys };
  const open = (url: string): Pool =>
    openPool({ url, connections: 2, applicationName: 'kelpie-cli', logger, pace, ...keys });
  const operators = open(operatorUrl);
  const pool = serviceUrl === null ? operators : open(serviceUrl);
  try {
    const operator = await requireOperator(operators);
    const recording = createRecording(operators, as, { chain: createAuditChain(auditKey), clock, operator, anchors });
    return await work({ pool, clock, logger, operator, ...recording });
  } finally {
    await Promise.all([...new Set([operators, pool])].map(async (one) => one.end()));
  }
}

type ActDeps = Pick<OperatorDeps, 'pool' | 'whileVouched' | 'keepRecorded'> & { context?: TransactionContext };

/** One transaction. A dry run rolls it back, with its audit entry. */
export async function runAudited<Done>(
  { pool, whileVouched, keepRecorded, context = 'shared' }: ActDeps,
  { dryRun }: Pick<WriteOptions, 'dryRun'>,
  work: (tx: Transaction) => Promise<Done>,
): Promise<Done> {
  if (dryRun) return whileVouched(async () => inUndoneTransaction(pool, context, work));
  const done = await whileVouched(async () => inTransaction(pool, context, work));
  await keepRecorded();
  return done;
}

/** The result of a write for people, with its audit entry. */
export function describeDone(sentence: string, dryRun: boolean, { seq, mac }: WrittenAct): string {
  return dryRun
    ? `Dry run. Nothing changed. Without --dry-run:\n${sentence}\n`
    : `${sentence}\nRecorded in the audit log as entry ${seq}.\nAnchor: ${seq}:${mac}\n`;
}

/** The same for programs. */
export function doneAsJson(dryRun: boolean, written: WrittenAct): { dry_run: boolean; audit: WrittenAct | null } {
  return { dry_run: dryRun, audit: dryRun ? null : written };
}

const reportEveryMs = 2_000;

/** Writes progress to standard error; nothing with --json. */
export function createProgressWriter({ json }: ReadOptions): (text: string) => void {
  return json ? () => undefined : (text) => void process.stderr.write(`${text}\n`);
}

/** Reports every two seconds that a long step is still running. */
export async function whileWorking<Result>(
  options: ReadOptions,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const report = createProgressWriter(options);
  const startedAt = performance.now();
  const timer = setInterval(
    () => report(`${what}: ${Math.round((performance.now() - startedAt) / 1_000)} s so far`),
    reportEveryMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
