import type { Command } from 'commander';
import { createDirectoryStore } from '../../archive/index.ts';
import { createDayChain } from '../../ledger/index.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { createMonthMac } from '../verification/month-proof.ts';
import type { DayProof, WholeVerification } from '../verification/verify-all.ts';
import { readDayAnchors } from '../verification/verify-nightly.ts';
import { exitCodes } from './failure.ts';
import { verifyWholeLedger } from './verify-ledger.ts';
import {
  chosenSettings,
  commandLogger,
  createProgressWriter,
  readCommand,
  whileWorking,
  type ReadOptions,
} from './run-command.ts';
import { counted, print } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

/** What is checked of closed days without `--all`. */
const newestDays = 12;

async function readProof(key: Buffer | null, file: string | null): Promise<DayProof | null> {
  if (key === null) return null;
  return {
    macOf: createDayChain(key),
    monthMacOf: createMonthMac(key),
    anchors: file === null ? [] : await readDayAnchors(file),
  };
}

export function describeVerification(verification: WholeVerification): string {
  const { entries, transfers, wallets, invoices, days, isProved, unreadMonths, differences } = verification;
  const read = `${entries} entries of ${transfers} transfers, ${wallets} wallets and ${counted(invoices, 'invoice')}`;
  const ofDays = days === 0 ? '' : `, ${counted(days, 'closed day')} among them`;
  const unproved =
    days === 0 || isProved ? '' : 'KELPIE_LEDGER_KEY is not set, so the chain of closed days was not checked.\n';
  const unread =
    unreadMonths.length === 0
      ? ''
      : `KELPIE_ARCHIVE is not set, so payouts of ${unreadMonths.join(', ')} were not checked.\n`;
  if (differences.length === 0) return `Checked ${read}${ofDays}: no differences.\n${unproved}${unread}`;
  const rows = differences.map(
    ({ kind, what, expected, found }) => `  ${kind}: ${what}, expected ${expected}, found ${found}`,
  );
  return `Checked ${read}${ofDays}: ${counted(differences.length, 'difference')}.\n${rows.join('\n')}\n${unproved}${unread}`;
}

async function verify({ json, all }: ReadOptions & { all?: true }): Promise<void> {
  const { readerUrl, logLevel, key, file, folder } = chosenSettings((get) => ({
    readerUrl: get(settings.readerDatabaseUrl),
    logLevel: get(settings.logLevel),
    key: get(settings.ledgerKey),
    file: get(settings.ledgerAnchors),
    folder: get(settings.archive),
  }));
  const proof = await readProof(key, file);
  const report = createProgressWriter({ json });
  const verification = await whileWorking({ json }, 'Checking the ledger', async () =>
    verifyWholeLedger(readerUrl, commandLogger(logLevel), {
      proof,
      store: folder === null ? null : createDirectoryStore(folder),
      choose: (days) => (all === true ? days : days.slice(-newestDays)),
      onDay: (done, of) => (done % 10 === 0 ? report(`Checked ${done} of ${of} closed days`) : undefined),
    }),
  );
  print({ json }, verification, describeVerification(verification));
  process.exitCode = verification.differences.length === 0 ? exitCodes.done : exitCodes.found;
}

export function addLedgerCommands(kelpie: Command): void {
  const ledger = kelpie.command('ledger').description('Verify the ledger.');
  const command = readCommand(ledger.command('verify'))
    .description(
      `Check the ledger against itself, and every payout, deposit, correction, charge and invoice against what was booked for it. It reads the days that are not closed and the ${newestDays} newest that are; the worker does this every night. With KELPIE_LEDGER_KEY it also checks the chain of closed days. Run it with --all after a restore. Exit code 1 if there is a difference.`,
    )
    .option('--all', 'read every closed day')
    .action(verify);
  addHelp(command, {
    example: 'kelpie-admin ledger verify --all',
    prints: 'How much was checked, and one line per difference: the expected value and the value found.',
  });
  addGroupHelp(ledger, {
    about: 'Kelpie keeps a double-entry ledger. docs/ledger.md lists the accounts.',
    example: 'kelpie-admin ledger verify',
  });
}
