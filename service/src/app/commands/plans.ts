import { InvalidArgumentError, Option, type Command } from 'commander';
import { formatPounds, parsePounds } from '../../money/amounts.ts';
import { createPricePlan, listPricePlans, type PricePlan } from '../../partners/index.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  writeCommand,
  runAudited,
  doneAs,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { print, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

/** As in "1.25%": hundredths of a percent are whole numbers. */
function percent(basisPoints: bigint): string {
  return `${formatPounds(basisPoints)}%`;
}

function fee(fixedPence: bigint, basisPoints: bigint): string {
  return `${formatPounds(fixedPence)} + ${percent(basisPoints)}`;
}

function addList(plans: Command): void {
  const list = limited(readCommand(plans.command('list')))
    .description('Price plans, the newest first, and how many partner environments have each.')
    .action(async ({ json, limit }: ReadOptions & { limit: number }) => {
      const found = await look(async (tx) => listPricePlans(tx, limit));
      const rows = found.map((plan) => [
        plan.id,
        fee(plan.fixedPence, plan.basisPoints),
        fee(plan.bankFixedPence, plan.bankBasisPoints),
        formatPounds(plan.monthlyPence),
        formatPounds(plan.verificationPence),
        `+ ${percent(plan.networkMarkupBasisPoints)}`,
        `+ ${percent(plan.exceptionMarkupBasisPoints)}`,
        plan.environments.toString(),
      ]);
      const names = [
        'PLAN',
        'PAYOUT',
        'OF IT THE BANK’S',
        'MONTHLY',
        'VERIFICATION',
        'NETWORK',
        'EXCEPTIONS',
        'ENVIRONMENTS',
      ];
      print({ json }, found, table(names, rows, 'There are none.'));
    });
  addHelp(list, {
    when: 'You want to give a partner another plan, and look for its id.',
    examples: ['kelpie-admin plans list'],
    prints: 'a line a plan, in pounds: what a payout costs and the bank’s share of it, and what else is charged.',
  });
}

function penceFrom(text: string): bigint {
  const pence = parsePounds(text);
  if (pence === undefined || pence > 1_000_000n) throw new InvalidArgumentError('It is pounds and pence, as 0.99.');
  return pence;
}

/** Hundredths of a percent, from a number with two decimals. */
function pointsFrom(text: string): bigint {
  const points = parsePounds(text);
  if (points === undefined || points > 10_000n) throw new InvalidArgumentError('It is a percentage, as 1.00.');
  return points;
}

interface Fee {
  pence: bigint;
  points: bigint;
}

function feeFrom(text: string): Fee {
  const [, fixed = '', part = ''] = /^(\d+\.\d{2}) ?\+ ?(\d+\.\d{2})%?$/.exec(text) ?? [];
  if (fixed === '') throw new InvalidArgumentError('It is pounds and a percentage, as 0.99+1.00%.');
  return { pence: penceFrom(fixed), points: pointsFrom(part) };
}

interface CreateOptions extends WithReason {
  payout: Fee;
  bank: Fee;
  monthly: bigint;
  verification: bigint;
  network: bigint;
  exceptions: bigint;
}

function planFrom(id: string, { payout, bank, ...rest }: CreateOptions): PricePlan {
  if (!/^[a-z0-9-]{1,40}$/.test(id))
    throw new OperatorError('The id of a plan has 1 to 40 small letters, digits and hyphens.');
  // The bank's share is a part of the fee: the rest of it goes on the invoice, and can't be less than nothing.
  if (bank.pence > payout.pence || bank.points > payout.points)
    throw new OperatorError('The bank’s share can not be more than the fee that it is a part of.');
  return {
    id,
    fixedPence: payout.pence,
    basisPoints: payout.points,
    bankFixedPence: bank.pence,
    bankBasisPoints: bank.points,
    monthlyPence: rest.monthly,
    verificationPence: rest.verification,
    networkMarkupBasisPoints: rest.network,
    exceptionMarkupBasisPoints: rest.exceptions,
  };
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { json, dryRun, reason } = options;
  const plan = planFrom(id, options);
  const written = await withOperator(options, 'operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const detail = {
        payout: fee(plan.fixedPence, plan.basisPoints),
        monthly: formatPounds(plan.monthlyPence),
        reason,
      };
      const recorded = await deps.record(tx, { action: 'plan.create', subject: id, detail });
      if (!(await createPricePlan(tx, plan, deps.clock.now())))
        throw new OperatorError(
          `There is a plan ${id} already, and plans never change: take another id.`,
          'plan_taken',
        );
      return recorded;
    }),
  );
  const sentence = `The plan ${id} is there: ${fee(plan.fixedPence, plan.basisPoints)} a payout. No partner has it yet.`;
  print({ json }, { ...plan, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

function addCreate(plans: Command): void {
  const command = withReason(writeCommand(plans.command('create')))
    .argument('<plan>', 'its id: 1 to 40 small letters, digits and hyphens, as volume-1')
    .description('Make a price plan. It can never be changed: other prices are another plan.')
    .addOption(priced('--payout <fee>', 'what a payout costs, in pounds and of its amount', feeFrom, '0.99+1.00%'))
    .addOption(priced('--bank <fee>', 'the bank’s share of that', feeFrom, '0.50+0.50%'))
    .addOption(priced('--monthly <pounds>', 'the account, each month', penceFrom, '15.00'))
    .addOption(priced('--verification <pounds>', 'the verification of a business, once', penceFrom, '39.00'))
    .addOption(priced('--network <percent>', 'what is added to network fees', pointsFrom, '10.00'))
    .addOption(priced('--exceptions <percent>', 'what is added to bank exceptions', pointsFrom, '20.00'))
    .action(create);
  addHelp(command, {
    when: 'A partner and you agreed on prices that no plan has yet. What is not said is as in the standard plan.',
    examples: [
      'kelpie-admin plans create volume-1 --payout 0.80+0.80% --reason "contract of 2026-11" --operator ada@kelpie.example',
    ],
    prints:
      'what a payout costs by it, and where that stands in the log of the operators. `partners price-plan` gives it.',
  });
}

function priced<Value>(flags: string, about: string, read: (text: string) => Value, standard: string): Option {
  return new Option(flags, about).argParser(read).default(read(standard), standard);
}

export function addPlanCommands(kelpie: Command): void {
  const plans = kelpie.command('plans').description('Look after price plans.');
  addList(plans);
  addCreate(plans);
  addGroupHelp(plans, {
    when: 'A plan says what everything costs. It never changes, so that what was charged by it can be reckoned again.',
    examples: [
      'kelpie-admin plans list',
      'kelpie-admin plans create volume-1 --payout 0.80+0.80% --reason "a large partner"',
    ],
  });
}
