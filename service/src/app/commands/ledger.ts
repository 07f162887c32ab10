import type { Command } from 'commander';
import { settings } from '../../platform/settings.ts';
import { describeVerification, verifyWholeLedger } from '../verify-ledger.ts';
import { exitCodes } from './failure.ts';
import { chosenSettings, commandLogger, looking, whileWorking, type LookingOptions } from './frame.ts';
import { print } from './printing.ts';
import { teach, teachGroup } from './teaching.ts';

async function verify({ json }: LookingOptions): Promise<void> {
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
  const command = looking(ledger.command('verify'))
    .description(
      'Recompute every balance from the entries, and hold the invoices against them. Changes nothing; exit code 1 where something differs.',
    )
    .action(verify);
  teach(command, {
    when: 'Every night, after a restore, and whenever you are in doubt. It reads everything, from one picture of the database.',
    examples: ['kelpie ledger verify', 'kelpie ledger verify --json || page-somebody'],
    prints: 'how much was checked, and a line for each thing that differs: what, what it should be, and what it is.',
  });
  teachGroup(ledger, {
    when: 'Every penny is two entries that sum to zero. docs/ledger.md has the accounts.',
    examples: ['kelpie ledger verify'],
  });
}
