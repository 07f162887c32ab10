// The whole of the operator's command, `kelpie`.
import { Command, Help } from 'commander';
import { addAuditCommands } from './audit.ts';
import { addCaseCommands } from './cases.ts';
import { addDepositCommands } from './deposits.ts';
import { addExceptionCommands } from './exceptions.ts';
import { addInvoiceCommands } from './invoices.ts';
import { addJobCommands } from './jobs.ts';
import { addLedgerCommands } from './ledger.ts';
import { addMigrateCommand } from './migrate.ts';
import { addPartnerCommands } from './partners.ts';
import { addPayoutCommands } from './payouts.ts';
import { addPlanCommands } from './plans.ts';
import { addReconcileCommands } from './reconcile.ts';

const whereToBegin = `
Every command prints for people, or JSON with --json. What changes something
asks who you are (--operator NAME, or KELPIE_OPERATOR), can be tried with
--dry-run, and is noted in a log that nobody can change unseen.

Where to begin:
  kelpie payouts stuck             what waits, and for whom
  kelpie payouts show ID           one payout's whole story
  kelpie deposits list --trouble   top-ups that a person has to look at
  kelpie reconcile show            our books against the bank's, at the last run
  kelpie cases list                what a person has to look at
  kelpie jobs list                 work that was given up
  kelpie partners show acme        one partner, both of its environments
  kelpie ledger verify             whether the books add up
  kelpie audit verify              whether the operators' log is whole

Exit codes: 0 done; 1 it looked and found something wrong, or a part failed;
2 refused, nothing was changed; 64 the command line is wrong; 69 the database or
the bank is not to be had; 70 a fault of ours; 78 a setting is wrong.

Settings come from the environment: docs/configuration.md. docs/operating.md
tells what to do when.`;

const plainHelp = new Help();

/** Where programs read, nobody reads what is written beside it. */
export function createKelpie({ json }: { json: boolean }): Command {
  const kelpie = new Command('kelpie')
    .description('Runs and looks after a Kelpie payouts service.')
    .exitOverride()
    .showHelpAfterError('`kelpie --help` tells more.')
    // That a switch is off by default goes without saying.
    .configureHelp({
      optionDescription: (option) => plainHelp.optionDescription(option).replace(/ ?\(default: false\)/, ''),
    })
    .addHelpText('after', whereToBegin);
  if (json) kelpie.configureOutput({ writeErr: () => undefined });
  addMigrateCommand(kelpie);
  addPartnerCommands(kelpie);
  addPlanCommands(kelpie);
  addPayoutCommands(kelpie);
  addDepositCommands(kelpie);
  addExceptionCommands(kelpie);
  addInvoiceCommands(kelpie);
  addReconcileCommands(kelpie);
  addCaseCommands(kelpie);
  addLedgerCommands(kelpie);
  addJobCommands(kelpie);
  addAuditCommands(kelpie);
  return kelpie;
}
