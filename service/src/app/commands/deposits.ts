import { Option, type Command } from 'commander';
import { findAdminDeposit, listAdminDeposits, type DepositHistoryRow, type AdminDeposit } from '../../funding/index.ts';
import { listEntries, type EntryRow } from '../../ledger/index.ts';
import { formatPounds } from '../../money/amounts.ts';
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
    deposit.netMicroUsdc === null ? '-' : `${exactUsdc(deposit.netMicroUsdc)} USDC`,
    shortInstant(deposit.updatedAt),
    deposit.trouble ?? '-',
  ];
}

interface ListOptions extends ReadOptions {
  partner?: string;
  status?: string;
  trouble: boolean;
  limit: number;
}

function addList(deposits: Command): void {
  const list = limited(readCommand(deposits.command('list')))
    .description('Top-ups of all partners, the newest first. Who sent them is for their partners alone.')
    .option('--partner <partner>', 'only those of this partner: its short name, or its id')
    .addOption(new Option('--status <status>', 'only those in this state').choices(states))
    .option('--trouble', 'only those that a person has to look at', false)
    .action(async ({ json, partner, status, trouble, limit }: ListOptions) => {
      const found = await look(async (tx) => {
        const partnerId = await partnerFilter(tx, partner);
        return listAdminDeposits(tx, { partnerId, status: status ?? null, trouble, atMost: limit });
      });
      const names = ['DEPOSIT', 'PARTNER', 'ENVIRONMENT', 'BY', 'STATE', 'SENT', 'BRINGS', 'CHANGED', 'TROUBLE'];
      print({ json }, found, table(names, found.map(rowOf), 'There are none.'));
    });
  addHelp(list, {
    when: 'A partner says that it has sent money; or each morning with --trouble.',
    examples: ['kelpie-admin deposits list --trouble', 'kelpie-admin deposits list --partner acme --status pending'],
    prints:
      'a line a top-up: what was sent, what it brings to the wallet, and what is the matter with it, if anything.',
  });
}

function describeChange(row: DepositHistoryRow, entries: readonly EntryRow[]): string[] {
  const words = [row.what, `the bank says ${row.bank_state}`, ...(row.detail === null ? [] : [row.detail])];
  const own = entries.filter(({ transfer_id: id }) => id === row.transfer_id);
  return [`  ${row.at.toISOString()}  ${row.state.padEnd(8)}  ${words.join(', ')}`, ...own.map(describeEntry)];
}

function describeDeposit(deposit: AdminDeposit, history: readonly DepositHistoryRow[], entries: readonly EntryRow[]) {
  const { sentPence, rateMillionths } = deposit;
  const sent =
    sentPence === null
      ? ''
      : `${formatPounds(sentPence)} GBP were sent, at ${rateMillionths === null ? 'a rate not known' : rateAsNumber(rateMillionths)}; `;
  const lines = [
    `Deposit ${deposit.id}: ${deposit.state}`,
    `  partner ${deposit.partner}, ${deposit.environment}, by ${deposit.method}; the bank's ${deposit.bankDepositId} (${deposit.bankState})`,
    `  ${sent}it brings ${exactUsdc(deposit.netMicroUsdc)} USDC, and the bank kept ${exactUsdc(deposit.feeMicroUsdc)}`,
    ...(deposit.reversedMicroUsdc === null
      ? []
      : [
          `  the bank took back ${exactUsdc(deposit.reversedMicroUsdc)}, of which ${exactUsdc(deposit.owedMicroUsdc)} were owed`,
        ]),
    ...(deposit.repaidMicroUsdc === 0n ? [] : [`  ${exactUsdc(deposit.repaidMicroUsdc)} of it went to what was owed`]),
    ...(deposit.trouble === null ? [] : [`  A person has to look: ${deposit.trouble}.`]),
    '',
    'History',
    ...history.flatMap((row) => describeChange(row, entries)),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(deposits: Command): void {
  const show = readCommand(deposits.command('show'))
    .argument('<id>', 'the id of the deposit: ours, or the bank’s')
    .description('Tell the whole story of one deposit: what the bank said, what was credited, and the ledger’s lines.')
    .action(async (id: string, { json }: ReadOptions) => {
      const shown = await look(async (tx) => {
        const found = await findAdminDeposit(tx, id);
        if (found === null)
          throw new OperatorError(
            `There is no deposit ${id}. \`kelpie-admin deposits list\` shows their ids.`,
            'not_found',
          );
        const transfers = found.history.flatMap(({ transfer_id: transfer }) => transfer ?? []);
        return { ...found, entries: await listEntries(tx, transfers) };
      });
      print({ json }, shown, describeDeposit(shown.deposit, shown.history, shown.entries));
    });
  addHelp(show, {
    when: 'You want to know why a top-up is not credited, or how what it brought came about.',
    examples: ['kelpie-admin deposits show 01a1dfa5-b0ca-75cd-87df-3dd1ee8c2b5e'],
    prints: 'what was sent, at which rate, and what the bank kept; then its history with the lines in the ledger.',
  });
}

export function addDepositCommands(kelpie: Command): void {
  const deposits = kelpie.command('deposits').description('Look at top-ups.');
  addList(deposits);
  addShow(deposits);
  addGroupHelp(deposits, {
    when: 'Top-ups are credited by themselves, once the bank says that they are processed. docs/funding.md has the rest.',
    examples: [
      'kelpie-admin deposits list --trouble',
      'kelpie-admin deposits show 01a1dfa5-b0ca-75cd-87df-3dd1ee8c2b5e',
    ],
  });
}
