// The whole of the operator's command, `kelpie-admin`.
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
  kelpie-admin payouts stuck             what waits, and for whom
  kelpie-admin payouts show ID           one payout's whole story
  kelpie-admin deposits list --trouble   top-ups that a person has to look at
  kelpie-admin reconcile show            our books against the bank's, at the last run
  kelpie-admin cases list                what a person has to look at
  kelpie-admin jobs list                 work that was given up
  kelpie-admin partners show acme        one partner, both of its environments
  kelpie-admin ledger verify             whether the books add up
  kelpie-admin audit verify              whether the operators' log is whole

Exit codes: 0 done; 1 it looked and found something wrong, or a part failed;
2 refused, nothing was changed; 64 the command line is wrong; 69 the database or
the bank is not to be had; 70 a fault of ours; 78 a setting is wrong.

Settings come from the environment: docs/configuration.md. docs/operating.md
tells what to do when.`;

const plainHelp = new Help();

/** Where programs read, nobody reads what is written beside it. */
export function createProgram({ json }: { json: boolean }): Command {
  const program = new Command('kelpie-admin')
    .description('Runs and looks after a Kelpie payouts service.')
    .exitOverride()
    .showHelpAfterError('`kelpie-admin --help` tells more.')
    // That a switch is off by default goes without saying.
    .configureHelp({
      optionDescription: (option) => plainHelp.optionDescription(option).replace(/ ?\(default: false\)/, ''),
    })
    .addHelpText('after', whereToBegin);
  if (json) program.configureOutput({ writeErr: () => undefined });
  addMigrateCommand(program);
  addPartnerCommands(program);
  addPlanCommands(program);
  addPayoutCommands(program);
  addDepositCommands(program);
  addExceptionCommands(program);
  addInvoiceCommands(program);
  addReconcileCommands(program);
  addCaseCommands(program);
  addLedgerCommands(program);
  addJobCommands(program);
  addAuditCommands(program);
  return program;
}
