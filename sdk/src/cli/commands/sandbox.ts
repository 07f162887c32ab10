import { Argument, Option, type Command } from 'commander';
import type { Kelpie, Payout } from '../../index.ts';
import { CommandError } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { wholeNumber, withJson, type JsonOption } from '../option-values.ts';
import { fields, print } from '../printing.ts';
import { connectSandbox, failureCodes, returnCodes } from './sandbox-only.ts';
import { printPayout } from './show-payout.ts';

const examplePayout = '01a1dfa5-aff2-7036-a787-17b3198fc6ab';

interface Step<Code> {
  name: 'advance' | 'fail' | 'return' | 'hold';
  description: string;
  codes: readonly Code[];
  take: (kelpie: Kelpie, id: string, code: Code | undefined) => Promise<Payout>;
}

function addStep<Code extends string>(sandbox: Command, { name, description, codes, take }: Step<Code>): void {
  const step = withJson(sandbox.command(name)).argument('<id>', 'payout id').description(description);
  if (codes.length > 0) step.addOption(new Option('--failure-code <code>', 'why').choices(codes));
  step.action(async (id: string, { json, failureCode }: JsonOption & { failureCode?: Code }) =>
    printPayout(json, await take(connectSandbox(), id, failureCode)),
  );
  addHelp(step, { examples: [`kelpie sandbox ${name} ${examplePayout}`], prints: 'The payout with its new status.' });
}

function addSteps(sandbox: Command): void {
  addStep(sandbox, {
    name: 'advance',
    description: 'Take a test payout one step nearer to its end: pending, processing, completed.',
    codes: [],
    take: async (kelpie, id) => kelpie.sandbox.advancePayout(id),
  });
  addStep(sandbox, {
    name: 'fail',
    description: 'Make a test payout fail. Its money returns to the wallet.',
    codes: failureCodes,
    take: async (kelpie, id, code) => kelpie.sandbox.failPayout(id, code === undefined ? {} : { failure_code: code }),
  });
  addStep(sandbox, {
    name: 'return',
    description: 'Return a test payout, as if the bank of the recipient sent it back.',
    codes: returnCodes,
    take: async (kelpie, id, code) => kelpie.sandbox.returnPayout(id, code === undefined ? {} : { failure_code: code }),
  });
  addStep(sandbox, {
    name: 'hold',
    description: 'Keep a test payout in processing until you advance, fail, return or cancel it.',
    codes: [],
    take: async (kelpie, id) => kelpie.sandbox.holdPayout(id),
  });
}

async function addTestMoney({ json, gbp, usdc }: JsonOption & { gbp?: string; usdc?: string }): Promise<void> {
  if ((gbp === undefined) === (usdc === undefined))
    throw new CommandError('usage', 'usage', 'Use either --gbp or --usdc, for example --gbp 100.00.');
  const deposit = await connectSandbox().sandbox.createDeposit({
    ...(gbp === undefined ? {} : { amount_gbp: gbp }),
    ...(usdc === undefined ? {} : { amount_usdc: usdc }),
  });
  const text = fields([
    ['deposit', deposit.id],
    ['status', deposit.status],
    ['credited', deposit.amount_usdc === null ? null : `${deposit.amount_usdc} USDC`],
  ]);
  print(json, deposit, text);
}

function addDeposit(sandbox: Command): void {
  const deposit = withJson(sandbox.command('deposit'))
    .description('Add test money to the sandbox wallet. Each run adds money.')
    .option('--gbp <amount>', 'pounds by bank transfer, for example 100.00')
    .option('--usdc <amount>', 'USDC, for example 100.00')
    .action(addTestMoney);
  addHelp(deposit, {
    examples: ['kelpie sandbox deposit --gbp 100.00'],
    prints: 'The deposit, with what the wallet received after the bank fee.',
  });
}

const answers = ['lost', 'slow', 'refused', 'unavailable', 'normal'] as const;

function addBank(sandbox: Command): void {
  const bank = withJson(sandbox.command('bank'))
    .addArgument(new Argument('<answers>', 'what the bank answers').choices(answers))
    .description(
      'Choose what the bank answers to your next payouts. lost: it pays, and its answer is lost. slow: it answers after 4 seconds. refused and unavailable: nothing is sent. normal: as usual.',
    )
    .option('--times <orders>', 'how many payouts', wholeNumber(1, 100), 1)
    .action(async (answer: (typeof answers)[number], { json, times }: JsonOption & { times: number }) => {
      const set = await connectSandbox().sandbox.setBank({ answers: answer, times });
      const sentence =
        set.times === 0 ? 'The bank answers as usual.' : `The next ${set.times} answers: ${set.answers}.`;
      print(json, set, `${sentence}\n`);
    });
  addHelp(bank, {
    examples: ['kelpie sandbox bank lost --times 3', 'kelpie sandbox bank normal'],
    prints: 'What the bank answers, and how often. Other accounts are not affected.',
  });
}

export function addSandboxCommands(program: Command): void {
  const sandbox = program.command('sandbox').description('Drive payouts, deposits and the bank in the sandbox.');
  addSteps(sandbox);
  addDeposit(sandbox);
  addBank(sandbox);
}
