import { InvalidArgumentError, Option, type Command } from 'commander';
import { formatPounds, parsePounds, type Pence } from '../../money/amounts.ts';
import {
  leftOf,
  lowerHighestLimit,
  lowestLimit,
  mostLimit,
  raiseHighestLimit,
  readLimits,
  type LimitsToday,
} from '../../payouts/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { pounds, print, shortInstant, table } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  describeDone,
  doneAsJson,
  look,
  readCommand,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';

type Environment = PartnerContext['environment'];

function withEnvironment(command: Command): Command {
  return command.addOption(
    new Option('--environment <environment>', 'which environment').choices(['live', 'sandbox']).default('live'),
  );
}

function limitOf(limit: Pence | null): string {
  return limit === null ? 'no limit' : pounds(limit);
}

function describeLimits(slug: string, environment: Environment, limits: LimitsToday): string {
  const { daily, newPayee, highest, spent, resetsAt, keys } = limits;
  const rows = keys.map((key) => [
    key.prefix,
    limitOf(key.limit),
    pounds(key.spent),
    pounds(leftOf(key.limit, key.spent)),
    shortInstant(key.fullLimitAt),
  ]);
  return [
    `Limits of ${slug} (${environment}) per day in London`,
    `  account    ${limitOf(daily)}, ${pounds(spent)} spent today, resets ${shortInstant(resetsAt)}`,
    `  new payee  ${limitOf(newPayee)}`,
    `  highest    ${limitOf(highest)}`,
    '',
    table(['KEY', 'LIMIT', 'SPENT', 'LEFT', 'FULL LIMIT'], rows, 'No API key that can pay.'),
  ].join('\n');
}

function addShow(group: Command): void {
  const show = withEnvironment(readCommand(group.command('show')))
    .argument('<partner>', 'slug or id')
    .description('Show the daily limits of a partner and what is spent of them today.')
    .action(async (slugOrId: string, { json, environment }: ReadOptions & { environment: Environment }) => {
      const { slug, limits } = await look(async (tx, now) => {
        const partner = await getPartner(tx, slugOrId);
        return { slug: partner.slug, limits: await readLimits(tx, { partnerId: partner.id, environment }, now) };
      });
      print({ json }, { partner: slug, environment, ...limits }, describeLimits(slug, environment, limits));
    });
  addHelp(show, {
    example: 'kelpie-admin limits show acme',
    prints: 'The limits of the account, for a new payee and of each key, and how far admins can raise them.',
  });
}

function highestFrom(text: string): Pence {
  const amount = parsePounds(text);
  if (amount === undefined || amount < lowestLimit || amount > mostLimit)
    throw new InvalidArgumentError(`Use an amount from ${formatPounds(lowestLimit)} to ${formatPounds(mostLimit)}.`);
  return amount;
}

interface SetOptions extends WithReason {
  environment: Environment;
  highest: Pence;
}

async function setHighest(slugOrId: string, options: SetOptions): Promise<void> {
  const { environment, highest } = options;
  const found = await look(async (tx, now) => {
    const { id: partnerId, slug } = await getPartner(tx, slugOrId);
    const { highest: from } = await readLimits(tx, { partnerId, environment }, now);
    return { partnerId, slug, from };
  });
  const { slug, from } = found;
  if (from === highest)
    throw new OperatorError(`The highest limit of ${slug} is already ${pounds(highest)}.`, 'nothing_to_do');
  await (from === null || highest < from ? lower(found, options) : proposeRaise(found, options));
}

interface Found {
  partnerId: string;
  slug: string;
  from: Pence | null;
}

/** What stops takes one operator, what frees two. */
async function lower({ partnerId, slug, from }: Found, options: SetOptions): Promise<void> {
  const { json, dryRun, environment, highest, reason } = options;
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const detail = { environment, to_pence: highest.toString(), reason };
      const recorded = await deps.record(tx, { action: 'limits.lower', subject: partnerId, detail });
      if (!(await lowerHighestLimit(tx, { partnerId, environment }, highest)))
        throw new OperatorError(
          `The highest limit of ${slug} changed while the command ran, or it has no ${environment} environment. Nothing changed.`,
          'nothing_to_do',
        );
      return recorded;
    }),
  );
  const sentence = `The highest ${environment} limit of ${slug} changed from ${pounds(from)} to ${pounds(highest)}. Limits above it were lowered with it.`;
  const shown = { id: partnerId, partner: slug, environment, from, to: highest, ...doneAsJson(dryRun, written) };
  print({ json }, shown, describeDone(sentence, dryRun, written));
}

async function proposeRaise({ partnerId, slug, from }: Found, options: SetOptions): Promise<void> {
  const { environment, highest, reason } = options;
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'limits.raise',
      subject: partnerId,
      revision: null,
      detail: { partner: slug, environment, from_pence: String(from), to_pence: highest.toString(), reason },
      what: `raise the highest ${environment} limit of ${slug} from ${pounds(from)} to ${pounds(highest)}`,
    }),
  );
}

/** What an approval of `limits set` does. */
export const limitRaising: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject: partnerId, detail }, { clock }) {
    const { slug } = await look(async (tx) => getPartner(tx, partnerId));
    return {
      async perform(tx) {
        if (!(await raiseHighestLimit(tx, { proposalId, partnerId, at: clock.now() })))
          throw new ActMoved(`The highest limit of ${slug} is no longer what it was.`);
        const { environment, from_pence: from, to_pence: to } = detail;
        const sentence = `The highest ${environment} limit of ${slug} changed from ${pounds(BigInt(from ?? 0))} to ${pounds(BigInt(to ?? 0))}. Its admins can now raise their limits.`;
        return { sentence, shown: { partner: slug, environment, from, to } };
      },
    };
  },
};

function addSet(group: Command): void {
  const command = withEnvironment(withReason(writeCommand(group.command('set'))))
    .argument('<partner>', 'slug or id')
    .requiredOption('--highest <amount>', 'how far admins can raise the limits, in pounds, as 80000.00', highestFrom)
    .description(
      'Set how far the admins of a partner can raise its daily limits. Lowering takes effect at once, and lowers the limits that are above it. Raising is proposed for another operator to approve.',
    )
    .action(setHighest);
  addHelp(command, {
    example: 'kelpie-admin limits set acme --highest 80000.00 --reason "contract of 12 November, ticket 812"',
    prints: 'The change and the audit log entry, or the proposal to raise it.',
  });
}

export function addLimitCommands(kelpie: Command): void {
  const group = kelpie.command('limits').description("Show a partner's daily payout limits, and set how far they go.");
  addShow(group);
  addSet(group);
  addGroupHelp(group, {
    about:
      'A payout that exceeds a daily limit is refused in the commit that would create it. Admins of the partner set the limits, up to what an operator allows.',
    example: 'kelpie-admin limits show acme',
  });
}
