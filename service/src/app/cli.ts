// The operator's command, `kelpie`.
import { Command } from 'commander';
import { createLogger } from '../platform/logging.ts';
import { settings } from '../platform/settings.ts';
import { explainLastError } from './last-error.ts';
import { migrateEverything } from './migrate.ts';
import { describeVerification, verifyWholeLedger } from './verify-ledger.ts';
import { clockFor, configurationOrExit } from './process.ts';

explainLastError(createLogger('cli', 'fatal', process.stderr));

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

const ledger = kelpie.command('ledger').description('Look at the books.');

ledger
  .command('verify')
  .description(
    'Recompute every balance from the entries and report any difference. Changes nothing; exit code 1 where there is one.',
  )
  .option('--json', 'print the result as JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    const { readerUrl, logLevel } = configurationOrExit((get) => ({
      readerUrl: get(settings.readerDatabaseUrl),
      logLevel: get(settings.logLevel),
    }));
    const verification = await verifyWholeLedger(readerUrl, createLogger('cli', logLevel));
    process.stdout.write(json ? `${JSON.stringify(verification)}\n` : describeVerification(verification));
    process.exitCode = verification.differences.length === 0 ? 0 : 1;
  });

await kelpie.parseAsync();
