import { InvalidArgumentError, type Command } from 'commander';
import { createAuditChain } from '../../platform/audit/chain.ts';
import { findOwner } from '../../platform/backup/run-program.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { duration } from '../../platform/duration.ts';
import { clockFor } from '../wiring/process.ts';
import { readAnchors } from './audit.ts';
import { describeBytes, drillBackup, type DrillDeps, type DrillOptions, type DrillReport } from './drill-backup.ts';
import { exitCodes } from './failure.ts';
import { addHelp } from './help.ts';
import { absolutePath, plainName } from './option-values.ts';
import { counted, print, shortInstant } from './printing.ts';
import { chosenSettings, commandLogger, readCommand, whileWorking, type ReadOptions } from './run-command.ts';
import { describeVerification } from './ledger.ts';

type CommandOptions = ReadOptions &
  Omit<DrillOptions, 'configFile' | 'programs' | 'maxAgeHours' | 'maxLossMinutes' | 'timeoutMinutes'> & {
    config?: string;
    programs?: string;
    maxAge: number;
    maxLoss: number;
    timeout: number;
  };

/** At most as many minutes as a day has, or hours as two months have. */
function wholeNumber(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 1_440) throw new InvalidArgumentError('Use a whole number from 1 to 1440.');
  return value;
}

function describeSeconds({ restore, recovery, verification }: DrillReport['seconds']): string[] {
  const steps = [
    ...(restore === null ? [] : [`restore ${restore.toFixed(1)} s`]),
    ...(recovery === null ? [] : [`recovery ${recovery.toFixed(1)} s`]),
    ...(verification === null ? [] : [`verification ${verification.toFixed(1)} s`]),
  ];
  return steps.length === 0 ? [] : [`Time: ${steps.join(', ')}.`];
}

function describeDrill({ backup, seconds, restoredTo, lostSeconds, ledger, audit, findings }: DrillReport): string {
  const lines = [
    ...(backup === null
      ? []
      : [
          `Backup ${backup.label} (${backup.type}) finished at ${shortInstant(backup.finishedAt)}, ${duration(backup.ageSeconds)} ago: ${describeBytes(backup.databaseBytes)}, ${describeBytes(backup.repositoryBytes)} in the repository.`,
        ]),
    ...describeSeconds(seconds),
    ...(lostSeconds === null
      ? []
      : [`Restored to ${shortInstant(restoredTo)}. A restore now would lose ${duration(lostSeconds)} of work.`]),
    ...(ledger === null ? [] : [`Ledger: ${describeVerification(ledger).trimEnd()}`]),
    ...(audit === null
      ? []
      : [
          `Audit log: checked ${counted(audit.rows, 'entry')} against ${counted(audit.anchors, 'anchor')}: ${counted(audit.differences.length, 'difference')}. ${counted(audit.lostEntries, 'entry')} would be lost.`,
        ]),
    findings.length === 0 ? 'The backup is good.' : `${counted(findings.length, 'finding')}:`,
    ...findings.map(({ code, message }) => `  ${code}: ${message}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** SIGTERM and Ctrl-C end the step, and the drill then removes what it created. */
async function interruptible<Result>(work: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function depsFor({ json }: ReadOptions, interrupted: AbortSignal): Promise<DrillDeps> {
  const { key, file, logLevel, testClockFile } = chosenSettings((get) => ({
    key: get(settings.auditKey),
    file: get(settings.auditAnchors),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  return {
    clock: clockFor(testClockFile),
    logger: commandLogger(logLevel),
    chain: createAuditChain(key),
    anchors: await readAnchors(file),
    owner: await findOwner(),
    interrupted,
    during: async (what, work) => whileWorking({ json }, what, work),
  };
}

async function drill(options: CommandOptions): Promise<void> {
  const { json, stanza, database, directory, config, programs, maxAge, maxLoss, timeout } = options;
  const report = await interruptible(async (interrupted) =>
    drillBackup(await depsFor(options, interrupted), {
      configFile: config ?? null,
      stanza,
      database,
      directory,
      programs: programs ?? null,
      maxAgeHours: maxAge,
      maxLossMinutes: maxLoss,
      timeoutMinutes: timeout,
    }),
  );
  print({ json }, report, describeDrill(report));
  process.exitCode = report.findings.length === 0 ? exitCodes.done : exitCodes.found;
}

export function addDrill(recovery: Command): void {
  const command = readCommand(recovery.command('drill'))
    .description(
      'Restore the newest pgBackRest backup into a temporary folder, and verify it. It starts a PostgreSQL on the copy that only this command can connect to, replays all archived WAL, verifies the ledger and the audit log, and removes everything again. It connects to no other database. Run it every night, as root or as the owner of the backups. Exit code 1 if something is wrong with the backup.',
    )
    .option('--config <file>', 'pgBackRest’s configuration file, if it is not the default one', absolutePath)
    .option('--stanza <name>', 'pgBackRest’s name of the database server', plainName, 'kelpie')
    .option('--database <name>', 'the database in it', plainName, 'kelpie')
    .option('--directory <folder>', 'where to create the temporary folder', absolutePath, '/var/tmp')
    .option('--programs <folder>', 'PostgreSQL’s programs, if not in /usr/lib/postgresql/VERSION/bin', absolutePath)
    .option('--max-age <hours>', 'report a newest backup that is older', wholeNumber, 26)
    .option('--max-loss <minutes>', 'report a newest commit that is older', wholeNumber, 15)
    .option('--timeout <minutes>', 'maximum time for each step', wholeNumber, 60)
    .action(drill);
  addHelp(command, {
    example: 'kelpie-admin recovery drill --config /etc/pgbackrest/pgbackrest.conf',
    prints:
      'The backup with its age and size, the time for each step, how much work a restore would lose, the two verifications, and each finding with what to do.',
  });
}
