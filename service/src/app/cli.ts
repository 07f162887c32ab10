// The operator's command, `kelpie`.
import { Command } from 'commander';
import { createLogger } from '../platform/logging.ts';
import { settings } from '../platform/settings.ts';
import { migrateEverything } from './migrate.ts';
import { clockFor, configurationOrExit } from './process.ts';

const kelpie = new Command('kelpie').description('Runs and looks after a Kelpie payouts service.').showHelpAfterError();

kelpie
  .command('migrate')
  .description('Bring the database up to this version. Safe to repeat, and to run while the service runs.')
  .action(async () => {
    const { ownerUrl, logLevel, testClockFile } = configurationOrExit((get) => ({
      ownerUrl: get(settings.ownerDatabaseUrl),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
    }));
    const applied = await migrateEverything({
      ownerUrl,
      now: clockFor(testClockFile).now(),
      logger: createLogger('cli', logLevel),
    });
    const sentence =
      applied.length === 0 ? 'Nothing to apply: the database is up to date.' : `Applied ${applied.join(', ')}.`;
    process.stdout.write(`${sentence}\n`);
  });

await kelpie.parseAsync();
