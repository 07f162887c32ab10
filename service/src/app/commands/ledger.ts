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
  const verification = await whileWorking({ json }, 'Checking the ledger', async () =>
    verifyWholeLedger(readerUrl, commandLogger(logLevel)),
  );
  print({ json }, verification, describeVerification(verification));
  process.exitCode = verification.differences.length === 0 ? exitCodes.done : exitCodes.found;
}

export function addLedgerCommands(kelpie: Command): void {
  const ledger = kelpie.command('ledger').description('Verify the ledger.');
  const command = readCommand(ledger.command('verify'))
    .description(
      'Recompute every balance from the ledger entries, and check every payout, deposit, correction, charge and invoice against them. Run it every night and after a restore. It reads one snapshot of the whole database. Exit code 1 if there is a difference.',
    )
    .action(verify);
  addHelp(command, {
    example: 'kelpie-admin ledger verify',
    prints: 'How much was checked, and one line per difference: the expected value and the value found.',
  });
  addGroupHelp(ledger, {
    about: 'Kelpie keeps a double-entry ledger. docs/ledger.md lists the accounts.',
    example: 'kelpie-admin ledger verify',
  });
}
