import type { Command } from 'commander';
import { settings } from '../../platform/settings.ts';
import { migrateEverything } from '../migrate.ts';
import { clockFor } from '../process.ts';
import { chosenSettings, commandLogger, looking, type LookingOptions } from './frame.ts';
import { print } from './printing.ts';
import { teach } from './teaching.ts';

async function migrate({ json }: LookingOptions): Promise<void> {
  const { ownerUrl, logLevel, testClockFile } = chosenSettings((get) => ({
    ownerUrl: get(settings.ownerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const now = clockFor(testClockFile).now();
  const applied = await migrateEverything({ ownerUrl, now, logger: commandLogger(logLevel) });
  const sentence =
    applied.length === 0 ? 'Nothing to apply: the database is up to date.' : `Applied ${applied.join(', ')}.`;
  print({ json }, { applied }, `${sentence}\n`);
}

export function addMigrateCommand(kelpie: Command): void {
  const command = looking(kelpie.command('migrate'))
    .description('Bring the database up to this version. Safe to repeat, and to run while the service runs.')
    .action(migrate);
  teach(command, {
    when: 'At every deploy, before the new version starts. It connects as the owner, and so is not in the operators’ log.',
    examples: ['kelpie migrate'],
    prints: 'which migrations were applied.',
  });
}
