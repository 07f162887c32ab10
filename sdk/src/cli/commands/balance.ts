import type { Command } from 'commander';
import { addHelp } from '../help.ts';
import { withJson, type JsonOption } from '../option-values.ts';
import { fields, pounds, print } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';

export function addBalanceCommand(program: Command): void {
  const balance = withJson(program.command('balance'))
    .description('Show the balance of the wallet.')
    .action(async ({ json }: JsonOption) => {
      const settings = readSettings();
      const read = await connectKelpie(settings).balance.get();
      const text = fields([
        ['environment', settings.environment],
        ['balance', `${read.usdc} USDC`],
        ['about', pounds(read.approx_gbp)],
        ['rate', `1 USDC = £${read.gbp_per_usd}`],
      ]);
      print(json, read, text);
    });
  addHelp(balance, {
    examples: ['kelpie balance'],
    prints: 'The balance in USDC, and about how much that is in pounds.',
  });
}
