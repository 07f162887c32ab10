import { Option, type Command } from 'commander';
import { findAdminDeposit, listAdminDeposits, type DepositHistoryRow, type AdminDeposit } from '../../funding/index.ts';
import { listEntries, type EntryRow } from '../../ledger/index.ts';
import { rateAsNumber } from '../../money/rates.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { partnerFilter } from './find-partner.ts';
import { limited, look, readCommand, type ReadOptions } from './run-command.ts';
import { describeEntry, exactUsdc, pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const states = ['pending', 'credited', 'refunded', 'reversed'];

function rowOf(deposit: AdminDeposit): string[] {
  const { sentPence } = deposit;
  return [
    deposit.id,
    deposit.partner,
    deposit.environment,
    deposit.method,
    deposit.state,
    pounds(sentPence),
    exactUsdc(deposit.netMicroUsdc),
    shortInstant(deposit.updatedAt),
    deposit.problem ?? '-',
  ];
}

interface ListOptions extends ReadOptions {
  partner?: string;
  status?: string;
  needsAttention: boolean;
  limit: number;
}

function addList(deposits: Command): void {
  const list = limited(readCommand(deposits.command('list')))
    .description('List top-ups of all partners, newest first.')
    .option('--partner <partner>', 'only top-ups of this partner (slug or id)')
    .addOption(new Option('--status <status>', 'only top-ups with this status').choices(states))
    .option('--needs-attention', 'only top-ups with a problem that needs an operator', false)
    .action(async ({ json, partner, status, needsAttention, limit }: ListOptions) => {
      const found = await look(async (tx) => {
        const partnerId = await partnerFilter(tx, partner);
        return listAdminDeposits(tx, { partnerId, status: status ?? null, needsAttention, atMost: limit });
      });
      const names = ['DEPOSIT', 'PARTNER', 'ENVIRONMENT', 'METHOD', 'STATUS', 'SENT', 'CREDIT', 'UPDATED', 'PROBLEM'];
      print({ json }, found, table(names, found.map(rowOf), 'No top-ups match.'));
    });
  addHelp(list, {
    example: 'kelpie-admin deposits list --partner acme --status pending',
    prints:
      'One line per top-up: the amount sent, the amount credited to the wallet, and its problem, if any. It never shows the sender.',
  });
}

function describeChange(row: DepositHistoryRow, entries: readonly EntryRow[]): string[] {
  const words = [row.what, `bank status ${row.bank_state}`, ...(row.detail === null ? [] : [row.detail])];
  const own = entries.filter(({ transfer_id: id }) => id === row.transfer_id);
  return [`  ${row.at.toISOString()}  ${row.state.padEnd(8)}  ${words.join(', ')}`, ...own.map(describeEntry)];
}

function describeDeposit(deposit: AdminDeposit, history: readonly DepositHistoryRow[], entries: readonly EntryRow[]) {
  const { sentPence, rateMillionths } = deposit;
  const sent =
    sentPence === null
      ? ''
      : `sent ${pounds(sentPence)} at ${rateMillionths === null ? 'an unknown rate' : `1 USDC = ${rateAsNumber(rateMillionths)} GBP`}, `;
  const lines = [
    `Deposit ${deposit.id}: ${deposit.state}`,
    `  partner ${deposit.partner}, ${deposit.environment}, ${deposit.method}`,
    `  bank deposit ${deposit.bankDepositId}, bank status ${deposit.bankState}`,
    `  ${sent}wallet credit ${exactUsdc(deposit.netMicroUsdc)}, bank fee ${exactUsdc(deposit.feeMicroUsdc)}`,
    ...(deposit.reversedMicroUsdc === null
      ? []
      : [
          `  reversed by the bank ${exactUsdc(deposit.reversedMicroUsdc)}, of which the partner owed us ${exactUsdc(deposit.owedMicroUsdc)}`,
        ]),
    ...(deposit.repaidMicroUsdc === 0n
      ? []
      : [`  used to repay what the partner owed: ${exactUsdc(deposit.repaidMicroUsdc)}`]),
    ...(deposit.problem === null ? [] : [`  Needs attention: ${deposit.problem}.`]),
    '',
    'History',
    ...history.flatMap((row) => describeChange(row, entries)),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(deposits: Command): void {
  const show = readCommand(deposits.command('show'))
    .argument('<id>', 'deposit id, ours or the bank’s')
    .description('Show a top-up with its history and ledger lines.')
    .action(async (id: string, { json }: ReadOptions) => {
      const shown = await look(async (tx) => {
        const found = await findAdminDeposit(tx, id);
        if (found === null)
          throw new OperatorError(
            `No deposit has the id ${id}. \`kelpie-admin deposits list\` shows the ids.`,
            'not_found',
          );
        const transfers = found.history.flatMap(({ transfer_id: transfer }) => transfer ?? []);
        return { ...found, entries: await listEntries(tx, transfers) };
      });
      print({ json }, shown, describeDeposit(shown.deposit, shown.history, shown.entries));
    });
  addHelp(show, {
    example: 'kelpie-admin deposits show 01a1dfa5-b0ca-75cd-87df-3dd1ee8c2b5e',
    prints:
      'The amount sent, the exchange rate, the bank fee and the wallet credit. Then the history with its ledger lines (DR debit, CR credit).',
  });
}

export function addDepositCommands(kelpie: Command): void {
  const deposits = kelpie.command('deposits').description('List and show top-ups.');
  addList(deposits);
  addShow(deposits);
  addGroupHelp(deposits, {
    about: 'Kelpie credits a top-up when the bank has processed it. docs/funding.md has the details.',
    example: 'kelpie-admin deposits list --needs-attention',
  });
}
