import type { Command } from 'commander';
import {
  listFloatMoves,
  listFloatSummaries,
  listUncoveredPartners,
  type AdminFloatMove,
  type FloatSummary,
  type UncoveredPartner,
} from '../../funding/index.ts';
import { exitCodes } from './failure.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { exactUsdc, print, shortInstant, signedUsdc, table } from './printing.ts';
import { limited, look, readCommand, type ReadOptions } from './run-command.ts';

interface Shown {
  environments: FloatSummary[];
  uncovered: UncoveredPartner[];
  moves: AdminFloatMove[];
}

function describe({ environments, uncovered, moves }: Shown): string {
  const sums = environments.map((one) => [
    one.environment,
    signedUsdc(one.placedMicroUsdc),
    exactUsdc(one.inTransitMicroUsdc),
    one.lossOn === null ? '-' : `${exactUsdc(one.lossMicroUsdc)} on ${one.lossOn}`,
  ]);
  const lacking = uncovered.map((one) => [one.partner, one.environment, exactUsdc(one.lacksMicroUsdc)]);
  const newest = moves.map((one) => [
    one.id,
    one.partner,
    one.environment,
    one.kind,
    exactUsdc(one.amountMicroUsdc),
    one.state,
    one.bankState ?? '-',
    shortInstant(one.createdAt),
  ]);
  return [
    table(['ENVIRONMENT', 'IN PARTNERS’ WALLETS', 'IN TRANSIT', 'LAST LOSS'], sums, ''),
    table(['NOT COVERED', 'ENVIRONMENT', 'LACKS'], lacking, 'Every wallet is covered at its bank.'),
    table(['MOVE', 'PARTNER', 'ENVIRONMENT', 'KIND', 'AMOUNT', 'STATE', 'BANK STATUS', 'BEGUN'], newest, 'No moves.'),
  ].join('\n');
}

async function show({ json, limit }: ReadOptions & { limit: number }): Promise<void> {
  const shown = await look(async (tx) => ({
    environments: await listFloatSummaries(tx),
    uncovered: await listUncoveredPartners(tx),
    moves: await listFloatMoves(tx, limit),
  }));
  print({ json }, shown, describe(shown));
  process.exitCode = shown.uncovered.length === 0 ? exitCodes.done : exitCodes.found;
}

export function addFloatCommands(kelpie: Command): void {
  const float = kelpie.command('float').description('Show the house float.');
  const command = limited(readCommand(float.command('show')))
    .description(
      'Show what the house has put into partners’ bank wallets, wallets that the bank does not cover, and the moves of the float, open ones first. Exit code 1 if a wallet is not covered.',
    )
    .action(show);
  addHelp(command, {
    example: 'kelpie-admin float show',
    prints:
      'One line per environment with what is placed, under way and was lost last, one per wallet that is not covered, and one per move.',
  });
  addGroupHelp(float, {
    about: 'Kelpie’s own wallet at each bank keeps partners’ bank wallets covered. docs/float.md has the rules.',
    example: 'kelpie-admin float show',
  });
}
