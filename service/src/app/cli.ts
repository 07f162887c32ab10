// The operator's command, `kelpie`.
import { Command } from 'commander';
import { createLogger } from '../platform/logging.ts';
import { settings } from '../platform/settings.ts';
import { explainLastError } from './last-error.ts';
import { migrateEverything } from './migrate.ts';
import { createPartner } from './create-partner.ts';
import { showPayout } from './show-payout.ts';
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

const payouts = kelpie.command('payouts').description('Look at payouts.');

payouts
  .command('show')
  .argument('<id>', 'the id of the payout')
  .description(
    'Tell the whole story of one payout: states, tries, bank ids, ledger lines, who and when. Changes nothing.',
  )
  .option('--json', 'print it as JSON')
  .action(async (id: string, { json = false }: { json?: boolean }) => {
    const { readerUrl, logLevel } = configurationOrExit((get) => ({
      readerUrl: get(settings.readerDatabaseUrl),
      logLevel: get(settings.logLevel),
    }));
    process.stdout.write(await showPayout({ readerUrl, logger: createLogger('cli', logLevel) }, id, { json }));
  });

const partners = kelpie.command('partners').description('Look after partners.');

partners
  .command('create')
  .description(
    'Make a partner with a sandbox that can pay at once, and an API key for it. The secret is shown once; a worker connects the sandbox to its bank.',
  )
  .requiredOption('--slug <slug>', 'its short name in addresses: 2 to 40 small letters, digits and hyphens')
  .requiredOption('--name <name>', 'its name, 1 to 120 characters')
  .action(async ({ slug, name }: { slug: string; name: string }) => {
    const configuration = configurationOrExit((get) => ({
      serviceUrl: get(settings.databaseUrl),
      pepper: get(settings.apiKeyPepper),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
    }));
    const { serviceUrl, pepper, logLevel, testClockFile } = configuration;
    const logger = createLogger('cli', logLevel);
    const made = await createPartner({ serviceUrl, pepper, logger, clock: clockFor(testClockFile) }, { slug, name });
    process.stdout.write(`${JSON.stringify(made)}\n`);
  });

await kelpie.parseAsync();
