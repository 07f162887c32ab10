// The `kelpie-admin` program with all of its commands.
import { Command, Help } from 'commander';
import { addApiKeyCommands } from './api-keys.ts';
import { addApprovalCommands } from './approvals.ts';
import { addArchiveCommands } from './archive.ts';
import { addAuditCommands } from './audit.ts';
import { addCaseCommands } from './cases.ts';
import { addDepositCommands } from './deposits.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEncryptionKeyCommands } from './encryption-keys.ts';
import { addExceptionCommands } from './exceptions.ts';
import { addFloatCommands } from './floats.ts';
import { addInvoiceCommands } from './invoices.ts';
import { addJobCommands } from './jobs.ts';
import { addLedgerCommands } from './ledger.ts';
import { addLimitCommands } from './limits.ts';
import { addMemberCommands } from './members.ts';
import { addMigrateCommand } from './migrate.ts';
import { addPartnerCommands } from './partners.ts';
import { addPayoutCommands } from './payouts.ts';
import { addPeopleCommands } from './people.ts';
import { addPlanCommands } from './plans.ts';
import { addRailCommands } from './rails.ts';
import { addReconcileCommands } from './reconcile.ts';
import { addRecoveryCommands } from './recovery.ts';
import { addSessionCommands } from './sessions.ts';
import { addStatusCommands } from './status.ts';

const overview = `
Commands print text. Add --json for JSON.
Commands that change something use your own database login. Try them with
--dry-run first. Each one is recorded in a tamper-evident audit log.

Start here:
  kelpie-admin doctor                           check the whole installation
  kelpie-admin payouts stuck                    payouts that have not finished
  kelpie-admin payouts show ID                  one payout's audit trail
  kelpie-admin rails list                       what stops payments now
  kelpie-admin deposits list --needs-attention  top-ups that need an operator
  kelpie-admin float show                       wallets that the bank does not cover
  kelpie-admin reconcile show                   the last reconciliation with the bank
  kelpie-admin cases list                       open reconciliation and payout cases
  kelpie-admin approvals list                   acts that wait for a second operator
  kelpie-admin jobs list                        jobs that failed permanently
  kelpie-admin status list --open               incidents on the public status page
  kelpie-admin partners show acme               one partner, sandbox and live
  kelpie-admin ledger verify                    check that the ledger balances
  kelpie-admin audit verify                     check the audit log for tampering

Exit codes:
  0   done
  1   a check found a difference, or part of the work failed
  2   refused; nothing changed
  64  the command line is invalid
  69  the database or the bank is unavailable or busy; retry
  70  a bug, or the outcome is unknown: check \`audit list\`
  78  a setting is invalid

Settings are environment variables. docs/configuration.md lists them.`;

const plainHelp = new Help();

/** With --json, Commander's own messages are silenced: the error is printed as JSON. */
export function createProgram({ json }: { json: boolean }): Command {
  const program = new Command('kelpie-admin')
    .description('Operate a Kelpie payouts service.')
    .exitOverride()
    .showHelpAfterError('Run `kelpie-admin --help` for details.')
    // A switch is off by default; saying so is noise.
    .configureHelp({
      optionDescription: (option) => plainHelp.optionDescription(option).replace(/ ?\(default: false\)/, ''),
    })
    .addHelpText('after', overview);
  if (json) program.configureOutput({ writeErr: () => undefined });
  addMigrateCommand(program);
  addDoctorCommand(program);
  addPartnerCommands(program);
  addSessionCommands(program);
  addMemberCommands(program);
  addPeopleCommands(program);
  addApiKeyCommands(program);
  addEncryptionKeyCommands(program);
  addPlanCommands(program);
  addPayoutCommands(program);
  addRailCommands(program);
  addLimitCommands(program);
  addDepositCommands(program);
  addFloatCommands(program);
  addExceptionCommands(program);
  addInvoiceCommands(program);
  addReconcileCommands(program);
  addRecoveryCommands(program);
  addStatusCommands(program);
  addCaseCommands(program);
  addLedgerCommands(program);
  addArchiveCommands(program);
  addJobCommands(program);
  addApprovalCommands(program);
  addAuditCommands(program);
  return program;
}
