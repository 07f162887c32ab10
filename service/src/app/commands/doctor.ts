import { InvalidArgumentError, type Command } from 'commander';
import { inspectConfiguration } from '../../platform/configuration/configuration.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import type { Logger } from '../../platform/logging.ts';
import { listChecks } from '../doctor/checks/list-checks.ts';
import type { DoctorOptions } from '../doctor/deps.ts';
import { runChecks, type NamedFinding } from '../doctor/run-checks.ts';
import { clockFor } from '../wiring/process.ts';
import { exitCodes } from './failure.ts';
import { addHelp } from './help.ts';
import { absolutePath, plainName } from './option-values.ts';
import { counted, print } from './printing.ts';
import { commandLogger, readCommand, whileWorking, type ReadOptions } from './run-command.ts';

interface CommandOptions extends ReadOptions {
  config?: string;
  stanza: string;
  maxBackupAge: number;
  minFree: number;
}

function wholeNumber(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('Use a whole number of at least 1.');
  return value;
}

const readerConnections = 4;

function openReader(url: string | null, logger: Logger): Pool | null {
  if (url === null) return null;
  return openPool({ url, connections: readerConnections, applicationName: 'kelpie-cli', logger, pace: 'command' });
}

async function examine(options: DoctorOptions, { json }: ReadOptions): Promise<NamedFinding[]> {
  const { env } = process;
  const given = inspectConfiguration(env);
  const logger = commandLogger(given.find(settings.logLevel) ?? 'info');
  const reader = openReader(given.find(settings.readerDatabaseUrl), logger);
  const clock = clockFor(given.isDevelopment ? given.find(settings.testClockFile) : null);
  try {
    const checks = listChecks({ env, given, clock, logger, reader, options });
    return await whileWorking({ json }, 'Checking', async () => runChecks(checks));
  } finally {
    await reader?.end();
  }
}

function describeFindings(findings: readonly NamedFinding[]): string {
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(
    ({ status, check, message }) => `${status.padEnd(7)}  ${check.padEnd(widest)}  ${message}`,
  );
  const count = (status: NamedFinding['status']): number => findings.filter((each) => each.status === status).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const end =
    problems + warnings === 0 ? 'All is well.' : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
  return `${lines.join('\n')}\n${end}\n`;
}

async function diagnose({ json, config, stanza, maxBackupAge, minFree }: CommandOptions): Promise<void> {
  const options = {
    configFile: config ?? null,
    stanza,
    maxBackupAgeHours: maxBackupAge,
    minFreeMegabytes: minFree,
  };
  const findings = await examine(options, { json });
  print({ json }, { findings }, describeFindings(findings));
  process.exitCode = findings.some(({ status }) => status === 'problem') ? exitCodes.found : exitCodes.done;
}

export function addDoctorCommand(kelpie: Command): void {
  const command = readCommand(kelpie.command('doctor'))
    .description(
      "Check the whole installation, and print what to do. It checks the settings, the database with its roles, standbys and backups, the worker, the bank, the relay, clocks, keys and disks, and changes nothing. Run it with a worker's settings, on a machine of the service. Checks that this machine or its settings don't allow are warnings. Exit code 1 if there is a problem.",
    )
    .option('--config <file>', 'pgBackRest’s configuration file, if it is not the default one', absolutePath)
    .option('--stanza <name>', 'pgBackRest’s name of the database server', plainName, 'kelpie')
    .option('--max-backup-age <hours>', 'report a newest backup that is older', wholeNumber, 26)
    .option('--min-free <megabytes>', 'report a disk with less space', wholeNumber, 1_024)
    .action(diagnose);
  addHelp(command, {
    example: 'kelpie-admin doctor',
    prints: 'One line per finding: ok, warning or problem, the name of the check, and what to do.',
  });
}
