import { InvalidArgumentError, Option, type Command } from 'commander';
import { formatPounds, parsePounds } from '../../money/amounts.ts';
import { createPricePlan, listPricePlans, type PricePlan } from '../../partners/index.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  writeCommand,
  runAudited,
  doneAsJson,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { pounds, print, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

/** For example "1.25%". Basis points have two decimals, as pence do. */
function percent(basisPoints: bigint): string {
  return `${formatPounds(basisPoints)}%`;
}

function fee(fixedPence: bigint, basisPoints: bigint): string {
  return `${pounds(fixedPence)} + ${percent(basisPoints)}`;
}

function addList(plans: Command): void {
  const list = limited(readCommand(plans.command('list')))
    .description('List price plans, newest first.')
    .action(async ({ json, limit }: ReadOptions & { limit: number }) => {
      const found = await look(async (tx) => listPricePlans(tx, limit));
      const rows = found.map((plan) => [
        plan.id,
        fee(plan.fixedPence, plan.basisPoints),
        fee(plan.bankFixedPence, plan.bankBasisPoints),
        pounds(plan.monthlyPence),
        pounds(plan.verificationPence),
        `+${percent(plan.networkMarkupBasisPoints)}`,
        `+${percent(plan.exceptionMarkupBasisPoints)}`,
        plan.environments.toString(),
      ]);
      const names = [
        'PLAN',
        'PAYOUT FEE',
        'BANK SHARE',
        'MONTHLY FEE',
        'VERIFICATION',
        'NETWORK MARKUP',
        'EXCEPTION MARKUP',
        'ENVIRONMENTS',
      ];
      print({ json }, found, table(names, rows, 'There are no price plans.'));
    });
  addHelp(list, {
    example: 'kelpie-admin plans list',
    prints:
      'One line per plan: the fee per payout with the bank’s share of it, monthly fee, verification fee, markups, and how many partner environments use it.',
  });
}

function penceFrom(text: string): bigint {
  const pence = parsePounds(text);
  if (pence === undefined || pence > 1_000_000n)
    throw new InvalidArgumentError('Use pounds and pence up to 10000.00, for example 0.99.');
  return pence;
}

/** Basis points from a percentage with two decimals. */
function pointsFrom(text: string): bigint {
  const points = parsePounds(text);
  if (points === undefined || points > 10_000n)
    throw new InvalidArgumentError('Use a percentage up to 100.00, for example 1.00.');
  return points;
}

interface Fee {
  pence: bigint;
  points: bigint;
}

function feeFrom(text: string): Fee {
  const [, fixed = '', part = ''] = /^(\d+\.\d{2}) ?\+ ?(\d+\.\d{2})%?$/.exec(text) ?? [];
  if (fixed === '') throw new InvalidArgumentError('Use pounds and a percentage, for example 0.99+1.00%.');
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
    throw new OperatorError('The plan id must have 1 to 40 lower-case letters, digits and hyphens.');
  // The rest of the fee goes on the invoice, so it can't be negative.
  if (bank.pence > payout.pence || bank.points > payout.points)
    throw new OperatorError('The bank’s share cannot exceed the payout fee.');
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
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const detail = {
        payout: fee(plan.fixedPence, plan.basisPoints),
        monthly: formatPounds(plan.monthlyPence),
        reason,
      };
      const recorded = await deps.record(tx, { action: 'plan.create', subject: id, detail });
      if (!(await createPricePlan(tx, plan, deps.clock.now())))
        throw new OperatorError(
          `Price plan ${id} already exists and cannot be changed. Choose another id.`,
          'plan_taken',
        );
      return recorded;
    }),
  );
  const sentence = `Created price plan ${id}: ${fee(plan.fixedPence, plan.basisPoints)} per payout. No partner uses it yet.`;
  print({ json }, { ...plan, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addCreate(plans: Command): void {
  const command = withReason(writeCommand(plans.command('create')))
    .argument('<plan>', 'plan id: 1 to 40 lower-case letters, digits and hyphens, for example volume-1')
    .description(
      'Create a price plan. A plan cannot be changed. Options that you leave out use the standard prices. Assign it with `partners price-plan`.',
    )
    .addOption(
      priced('--payout <fee>', 'fee per payout: pounds plus a percentage of its amount', feeFrom, '0.99+1.00%'),
    )
    .addOption(priced('--bank <fee>', 'the bank’s share of the payout fee', feeFrom, '0.50+0.50%'))
    .addOption(priced('--monthly <pounds>', 'monthly account fee in GBP', penceFrom, '15.00'))
    .addOption(priced('--verification <pounds>', 'one-off business verification fee in GBP', penceFrom, '39.00'))
    .addOption(priced('--network <percent>', 'markup on network fees', pointsFrom, '10.00'))
    .addOption(priced('--exceptions <percent>', 'markup on bank exceptions', pointsFrom, '20.00'))
    .action(create);
  addHelp(command, {
    example: 'kelpie-admin plans create volume-1 --payout 0.80+0.80% --reason "contract of 2026-11"',
    prints: 'The fee per payout and the audit log entry.',
  });
}

function priced<Value>(flags: string, about: string, read: (text: string) => Value, standard: string): Option {
  return new Option(flags, about).argParser(read).default(read(standard), standard);
}

export function addPlanCommands(kelpie: Command): void {
  const plans = kelpie.command('plans').description('List and create price plans.');
  addList(plans);
  addCreate(plans);
  addGroupHelp(plans, {
    about: 'A price plan sets all fees. It never changes, so that every charge can be recalculated.',
    example: 'kelpie-admin plans list',
  });
}
