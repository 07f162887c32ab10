import type { Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { migrate as applyMigrations } from '../../platform/database/migrate.ts';
import { migrateEverything } from '../wiring/migrate.ts';
import { clockFor } from '../wiring/process.ts';
import { chosenSettings, commandLogger, readCommand, type ReadOptions } from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

interface MigrateCommandOptions extends ReadOptions {
  afterDeploy: boolean;
}

async function migrate({ json, afterDeploy }: MigrateCommandOptions): Promise<void> {
  const { ownerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    ownerUrl: get(settings.ownerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const options = { ownerUrl, now: clockFor(testClockFile).now(), logger: commandLogger(logLevel) };
  const { applied, waiting } = afterDeploy
    ? await applyMigrations({ ...options, runs: 'after deploy' })
    : await migrateEverything(options);
  const done = applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`;
  const left = `After the deploy, run kelpie-admin migrate --after-deploy for ${waiting.join(', ')}.`;
  print({ json }, { applied, waiting }, waiting.length === 0 ? `${done}\n` : `${done}\n${left}\n`);
}

export function addMigrateCommand(kelpie: Command): void {
  const command = readCommand(kelpie.command('migrate'))
    .description(
      'Migrate the database to this version. Run it before each deploy. Safe to repeat, also after it was killed, and to run while the service is running. It connects as the database owner and is not in the audit log.',
    )
    .option(
      '--after-deploy',
      'run the migrations that remove what the previous version needs, once no process runs it any more',
      false,
    )
    .action(migrate);
  addHelp(command, {
    example: 'kelpie-admin migrate',
    prints: 'The migrations that were applied, and those that wait for the deploy.',
  });
}
