import type { Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { migrateEverything } from '../wiring/migrate.ts';
import { clockFor } from '../wiring/process.ts';
import { chosenSettings, commandLogger, readCommand, type ReadOptions } from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

async function migrate({ json }: ReadOptions): Promise<void> {
  const { ownerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    ownerUrl: get(settings.ownerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const now = clockFor(testClockFile).now();
  const applied = await migrateEverything({ ownerUrl, now, logger: commandLogger(logLevel) });
  const sentence = applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`;
  print({ json }, { applied }, `${sentence}\n`);
}

export function addMigrateCommand(kelpie: Command): void {
  const command = readCommand(kelpie.command('migrate'))
    .description(
      'Migrate the database to this version. Run it before each deploy. Safe to repeat, and to run while the service is running. It connects as the database owner and is not in the audit log.',
    )
    .action(migrate);
  addHelp(command, {
    example: 'kelpie-admin migrate',
    prints: 'The migrations that were applied.',
  });
}
