import type { Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { describeVerification, verifyWholeLedger } from './verify-ledger.ts';
import { exitCodes } from './failure.ts';
import { chosenSettings, commandLogger, readCommand, whileWorking, type ReadOptions } from './run-command.ts';
import { print } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

async function verify({ json }: ReadOptions): Promise<void> {
  const { readerUrl, logLevel } = chosenSettings((get) => ({
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
  }));
  const verification = await whileWorking({ json }, 'Adding up the ledger', async () =>
    verifyWholeLedger(readerUrl, commandLogger(logLevel)),
  );
  print({ json }, verification, describeVerification(verification));
  process.exitCode = verification.differences.length === 0 ? exitCodes.done : exitCodes.found;
}

export function addLedgerCommands(kelpie: Command): void {
  const ledger = kelpie.command('ledger').description('Look at the books.');
  const command = readCommand(ledger.command('verify'))
    .description(
      'Recompute every balance from the entries, and hold the invoices against them. Changes nothing; exit code 1 where something differs.',
    )
    .action(verify);
  addHelp(command, {
    when: 'Every night, after a restore, and whenever you are in doubt. It reads everything, from one picture of the database.',
    examples: ['kelpie-admin ledger verify', 'kelpie-admin ledger verify --json || page-somebody'],
    prints: 'how much was checked, and a line for each thing that differs: what, what it should be, and what it is.',
  });
  addGroupHelp(ledger, {
    when: 'Every penny is two entries that sum to zero. docs/ledger.md has the accounts.',
    examples: ['kelpie-admin ledger verify'],
  });
}
