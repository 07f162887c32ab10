// What every command of the operator's has: its options, its settings, and how it looks or acts.
import { appendFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { createAuditChain } from '../../platform/audit/chain.ts';
import { vouching } from '../../platform/audit/vouching.ts';
import { writeAct, type Act, type AuditDeps, type WrittenAct } from '../../platform/audit/write-act.ts';
import type { Clock } from '../../platform/clock.ts';
import { readConfiguration, type ChooseSettings } from '../../platform/configuration/configuration.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import {
  inTransaction,
  inUndoneTransaction,
  type Transaction,
  type TransactionContext,
} from '../../platform/database/transaction.ts';
import { isUuid } from '../../platform/ids.ts';
import { createLogger, type Logger } from '../../platform/logging.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { operatorRule, settings } from '../../platform/configuration/settings.ts';
import { clockFor } from '../wiring/process.ts';
import { withReader } from '../wiring/reader.ts';

export interface ReadOptions {
  json: boolean;
}

export interface WriteOptions extends ReadOptions {
  operator?: string;
  dryRun: boolean;
}

export interface WithReason extends WriteOptions {
  reason: string;
}

/** A command that only looks. */
export function readCommand(command: Command): Command {
  return command.option('--json', 'print the result as JSON, for programs', false);
}

function operatorFrom(text: string): string {
  const name = settings.operator.parse(text);
  if (name === undefined || name === null) throw new InvalidArgumentError(`It is ${operatorRule}.`);
  return name;
}

/** A command that changes something: it is noted who did it. */
export function writeCommand(command: Command): Command {
  const who = 'who does it; else KELPIE_OPERATOR says so. It goes into the log of the operators';
  return readCommand(command)
    .option('--operator <name>', who, operatorFrom)
    .option('--dry-run', 'say what would be done, and do nothing', false);
}

export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', 'why, for whoever reads the log later', (text: string) => {
    if (text.trim() === '' || text.length > 500) throw new InvalidArgumentError('It is 1 to 500 characters.');
    return text;
  });
}

/** A number of rows, for `--limit`. */
function rowLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new InvalidArgumentError('It is a whole number from 1 to 1000.');
  return limit;
}

/** For `--limit`: every list has an end. */
export function limited(command: Command): Command {
  return command.option('--limit <rows>', 'at most so many', rowLimit, 50);
}

/** An id of ours as the database writes it; undefined where the text is none. */
export function idFrom(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

/** What is wrong with them is told as all else that goes wrong is. */
export function chosenSettings<Configuration>(
  choose: ChooseSettings<Configuration>,
  env: NodeJS.ProcessEnv = process.env,
): Configuration {
  return readConfiguration(env, choose);
}

/** What is printed goes to standard output, alone: a program reads it. */
export function commandLogger(logLevel: string): Logger {
  return createLogger('cli', logLevel, process.stderr);
}

/** Does the looking as the role that reads every partner's rows and writes none. */
export async function look<Found>(read: (tx: Transaction, now: Date) => Promise<Found>): Promise<Found> {
  const { readerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const now = clockFor(testClockFile).now();
  return withReader(readerUrl, commandLogger(logLevel), async (pool) =>
    inTransaction(pool, 'shared', async (tx) => read(tx, now)),
  );
}

export interface OperatorDeps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  operator: string;
  /** Notes the act in the transaction that does it. */
  record: (tx: Transaction, act: Omit<Act, 'operator'>) => Promise<WrittenAct>;
  /** The same for what writes its row in its own way. */
  recordBy: (write: (deps: AuditDeps) => Promise<WrittenAct>) => Promise<WrittenAct>;
  /** Only inside this can something be noted: as the service's role, an operator's connection vouches for it. */
  whileVouched: <Done>(act: () => Promise<Done>) => Promise<Done>;
  /** Keeps, outside the database, where the act that was committed stands in the log. */
  keepRecorded: () => Promise<void>;
}

function requireOperatorName(named: string | null): string {
  if (named !== null) return named;
  throw new OperatorError(
    'Say who does this: --operator NAME, or KELPIE_OPERATOR. What operators do goes into a log that nobody can change.',
    'operator_required',
  );
}

/** The act is done by now: that it could not be kept elsewhere is worth a word, and no failure. */
async function keepAnchor(file: string, { seq, mac }: WrittenAct): Promise<void> {
  try {
    await appendFile(file, `${seq}:${mac}\n`, { mode: 0o600 });
  } catch {
    process.stderr.write(`It is done, but ${file} (KELPIE_AUDIT_ANCHORS) can not be written: keep ${seq}:${mac}\n`);
  }
}

type Role = 'operator' | 'service';

function settingsOf(as: Role, operator: string | undefined) {
  const env = operator === undefined ? process.env : { ...process.env, [settings.operator.variable]: operator };
  return chosenSettings(
    (get) => ({
      operatorUrl: get(settings.operatorDatabaseUrl),
      serviceUrl: as === 'service' ? get(settings.databaseUrl) : null,
      auditKey: get(settings.auditKey),
      anchors: get(settings.auditAnchors),
      named: get(settings.operator),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
    }),
    env,
  );
}

/** How acts are noted and kept. As an operator there is nobody else who would have to vouch for them. */
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

/** The deps of a command that acts, as whichever role its work needs. */
export async function withOperator<Result>(
  { operator: said }: Pick<WriteOptions, 'operator'>,
  as: Role,
  work: (deps: OperatorDeps) => Promise<Result>,
): Promise<Result> {
  const { operatorUrl, serviceUrl, auditKey, anchors, named, logLevel, testClockFile } = settingsOf(as, said);
  const operator = requireOperatorName(named);
  const logger = commandLogger(logLevel);
  const clock = clockFor(testClockFile);
  // One for the transaction, and one for what the job engine looks up meanwhile.
  const open = (url: string): Pool =>
    openPool({ url, connections: 2, applicationName: 'kelpie-cli', logger, unhurried: true });
  const operators = open(operatorUrl);
  const pool = serviceUrl === null ? operators : open(serviceUrl);
  const recording = createRecording(operators, as, { chain: createAuditChain(auditKey), clock, operator, anchors });
  try {
    return await work({ pool, clock, logger, operator, ...recording });
  } finally {
    await Promise.all([...new Set([operators, pool])].map(async (one) => one.end()));
  }
}

type ActDeps = Pick<OperatorDeps, 'pool' | 'whileVouched' | 'keepRecorded'> & { context?: TransactionContext };

/** One transaction; for a dry run it is undone at its end, the note of it too. As the service it names whose rows it writes. */
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

/** What is said once it is done, with where it stands in the log. */
export function sayDone(sentence: string, dryRun: boolean, { seq, mac }: WrittenAct): string {
  return dryRun
    ? `Dry run: nothing was changed. Otherwise:\n${sentence}\n`
    : `${sentence}\nNoted in the log of the operators as row ${seq} (${seq}:${mac}).\n`;
}

/** The same for programs. What a dry run noted was undone with it. */
export function doneAs(dryRun: boolean, written: WrittenAct): { dry_run: boolean; audit: WrittenAct | null } {
  return { dry_run: dryRun, audit: dryRun ? null : written };
}

const sayEveryMs = 2_000;

/** For whoever watches; a program does not. */
export function createSay({ json }: ReadOptions): (text: string) => void {
  return json ? () => undefined : (text) => void process.stderr.write(`${text}\n`);
}

/** Says every two seconds that one long step is still under way. */
export async function whileWorking<Result>(
  options: ReadOptions,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const say = createSay(options);
  const startedAt = performance.now();
  const timer = setInterval(
    () => say(`${what}: ${Math.round((performance.now() - startedAt) / 1_000)} s so far`),
    sayEveryMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
