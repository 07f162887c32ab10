// The operator's command, `kelpie`.
import { Command } from 'commander';
import { createLogger } from '../platform/logging.ts';
import { crashAt, goOn } from '../platform/crash-point.ts';
import { settings } from '../platform/settings.ts';
import { chargeBankException, givePricePlan } from './change-billing.ts';
import { explainLastError } from './last-error.ts';
import { migrateEverything } from './migrate.ts';
import { createPartner } from './create-partner.ts';
import { describeRun, reportAsJson, runInvoicesByHand } from './run-invoices.ts';
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

/** What commands that change what is charged need. */
function billingParts() {
  const configuration = configurationOrExit((get) => ({
    serviceUrl: get(settings.databaseUrl),
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
    testClockFile: get(settings.testClockFile),
  }));
  const { serviceUrl, readerUrl, logLevel, testClockFile } = configuration;
  return { serviceUrl, readerUrl, logger: createLogger('cli', logLevel), clock: clockFor(testClockFile) };
}

partners
  .command('price-plan')
  .description('Give a partner another price plan from now on. Payouts that were made before keep theirs.')
  .requiredOption('--slug <slug>', 'the short name of the partner')
  .requiredOption('--plan <plan>', 'the id of the plan')
  .requiredOption('--by <who>', 'who decided it: it is kept with the change')
  .action(async (options: { slug: string; plan: string; by: string }) => {
    process.stdout.write(await givePricePlan(billingParts(), options));
  });

partners
  .command('charge-exception')
  .description(
    'Charge a partner for a recall, a trace or a return that the bank billed us for, at cost plus what its plan adds. The same bank reference is charged once.',
  )
  .requiredOption('--slug <slug>', 'the short name of the partner')
  .requiredOption('--payout <id>', 'the payout that it is about')
  .requiredOption('--cost <pounds>', 'what the bank billed, as 12.50')
  .requiredOption('--bank-reference <text>', 'what the bank calls its bill')
  .requiredOption('--by <who>', 'who charges it: it is kept with the charge')
  .action(async (options: { slug: string; payout: string; cost: string; bankReference: string; by: string }) => {
    process.stdout.write(await chargeBankException(billingParts(), options));
  });

/** For whoever watches. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

const invoices = kelpie.command('invoices').description('Look after invoices.');

invoices
  .command('run')
  .description(
    'Issue the invoices of a month, and of those before it that were not invoiced. A worker does the same on the 1st; safe to repeat, to kill, and to run beside it. Exit code 1 where a partner could not be invoiced.',
  )
  .requiredOption('--period <month>', 'the month, as 2026-11; it has to be over, by the clocks of London')
  .option('--json', 'print what was done as JSON')
  .action(async ({ period, json = false }: { period: string; json?: boolean }) => {
    const { serviceUrl, logLevel, testClockFile, testCrashAt } = configurationOrExit((get) => ({
      serviceUrl: get(settings.databaseUrl),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
      testCrashAt: get(settings.testCrashAt),
    }));
    const logger = createLogger('cli', logLevel, process.stderr);
    const reach = testCrashAt === null ? goOn : crashAt(testCrashAt);
    const report = await runInvoicesByHand({ serviceUrl, clock: clockFor(testClockFile), logger, reach, say }, period);
    process.stdout.write(json ? reportAsJson(period, report) : describeRun(period, report));
    process.exitCode = report.failed === 0 ? 0 : 1;
  });

await kelpie.parseAsync();
