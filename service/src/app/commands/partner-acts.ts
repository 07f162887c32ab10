// What an operator changes about a partner that is there.
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  planActivation,
  planSuspension,
  setPricePlan,
  setRateFactor,
  setStatus,
  type AdminPartner,
} from '../../partners/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import {
  writeCommand,
  runAudited,
  doneAs,
  withOperator,
  sayDone,
  withReason,
  type OperatorDeps,
  type WithReason,
} from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

/** What was done, in a sentence and for programs, and what the log is to say of it. */
interface Change {
  action: string;
  detail: Readonly<Record<string, string | number>>;
  sentence: string;
  shown: object;
  make: () => Promise<void>;
}

/** Notes a change of a partner and makes it, in one transaction; then says so. */
async function change(
  slugOrId: string,
  options: WithReason,
  plan: (tx: Transaction, partner: AdminPartner, deps: OperatorDeps) => Change,
): Promise<void> {
  const { json, dryRun, reason } = options;
  const { partner, planned, written } = await withOperator(options, 'operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const found = await getPartner(tx, slugOrId);
      const one = plan(tx, found, deps);
      const recorded = await deps.record(tx, {
        action: one.action,
        subject: found.id,
        detail: { ...one.detail, reason },
      });
      await one.make();
      return { partner: found, planned: one, written: recorded };
    }),
  );
  const done = { id: partner.id, slug: partner.slug, ...planned.shown, ...doneAs(dryRun, written) };
  print({ json }, done, sayDone(planned.sentence, dryRun, written));
}

const statusPlans = { suspend: planSuspension, activate: planActivation };

async function changeStatus(verb: keyof typeof statusPlans, slugOrId: string, options: WithReason): Promise<void> {
  await change(slugOrId, options, (tx, partner) => {
    const { slug, status } = partner;
    const planned = statusPlans[verb](partner);
    if (planned === null)
      throw new OperatorError(`${slug} is ${status}: there is nothing to ${verb}.`, 'nothing_to_do');
    const { action, from, to } = planned;
    return {
      action,
      detail: { from, to },
      sentence: `${slug} was ${from}, and is ${to}.`,
      shown: { from, to },
      async make() {
        if (!(await setStatus(tx, partner.id, planned)))
          throw new OperatorError(`${slug} has changed meanwhile: look again.`);
      },
    };
  });
}

function factorFrom(text: string): number {
  const factor = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (factor < 1 || factor > 1_000) throw new InvalidArgumentError('It is a whole number from 1 to 1000.');
  return factor;
}

async function setLimits(slugOrId: string, options: WithReason & { factor: number }): Promise<void> {
  await change(slugOrId, options, (tx, { id, slug, rateFactor: from }) => {
    const { factor: to } = options;
    if (from === to) throw new OperatorError(`The limits of ${slug} are × ${to} already.`, 'nothing_to_do');
    return {
      action: 'partner.limit',
      detail: { from, to },
      sentence: `The limits of ${slug} were × ${from}, and are × ${to}.`,
      shown: { from, to },
      async make() {
        if (!(await setRateFactor(tx, id, to))) throw new OperatorError(`${slug} is gone.`, 'not_found');
      },
    };
  });
}

interface PlanOptions extends WithReason {
  plan: string;
  environment: 'live' | 'sandbox';
}

async function givePlan(slugOrId: string, options: PlanOptions): Promise<void> {
  await change(slugOrId, options, (tx, { id: partnerId, slug }, { clock }) => {
    const { plan, environment } = options;
    return {
      action: 'partner.price_plan',
      detail: { environment, plan },
      sentence: `${slug} has the plan ${plan} in ${environment} from now on. Payouts that were made before keep theirs.`,
      shown: { environment, plan },
      async make() {
        const outcome = await setPricePlan(tx, { partnerId, environment }, { plan, at: clock.now() });
        switch (outcome) {
          case 'changed':
            return;
          case 'same':
            throw new OperatorError(`${slug} has the plan ${plan} in ${environment} already.`, 'nothing_to_do');
          case 'no_plan':
            throw new OperatorError(
              `There is no price plan ${plan}: \`kelpie-admin plans list\` shows them.`,
              'not_found',
            );
          case 'no_environment':
            throw new OperatorError(
              `${slug} has no ${environment} environment yet, and is charged nothing there.`,
              'not_found',
            );
        }
      },
    };
  });
}

function actOnPartner(partners: Command, name: string): Command {
  return withReason(writeCommand(partners.command(name)).argument('<partner>', 'its short name, or its id'));
}

const saysSo = 'what it was and what it is now, and where that stands in the log of the operators.';

function addStatusActs(partners: Command): void {
  addHelp(
    actOnPartner(partners, 'suspend')
      .description(
        'Stop a partner: it makes no payouts any more, from the next one on, in both environments. Payouts under way go on, and it still reads what it has.',
      )
      .action(async (partner: string, options: WithReason) => changeStatus('suspend', partner, options)),
    {
      when: 'Something is wrong with a partner, and no more money shall leave until it is cleared up.',
      examples: ['kelpie-admin partners suspend acme --reason "invoice 2026-10 unpaid" --operator ada@kelpie.example'],
      prints: saysSo,
    },
  );
  addHelp(
    actOnPartner(partners, 'activate')
      .description('Let a suspended partner pay again: live too, if its business was verified.')
      .action(async (partner: string, options: WithReason) => changeStatus('activate', partner, options)),
    {
      when: 'What a partner was suspended for is settled.',
      examples: ['kelpie-admin partners activate acme --reason "paid on the 14th" --operator ada@kelpie.example'],
      prints: saysSo,
    },
  );
}

function addTermActs(partners: Command): void {
  addHelp(
    actOnPartner(partners, 'limits')
      .description(
        'Raise the rate limits of a partner’s keys: by a factor, for requests and payouts alike. 1 is what everybody has.',
      )
      .requiredOption('--factor <number>', 'from 1 to 1000', factorFrom)
      .action(async (partner: string, options: WithReason & { factor: number }) => setLimits(partner, options)),
    {
      when: 'A partner runs into 429 with good reason. The processes know of it within seconds.',
      examples: [
        'kelpie-admin partners limits acme --factor 4 --reason "a launch on Friday" --operator ada@kelpie.example',
      ],
      prints: saysSo,
    },
  );
  addHelp(
    actOnPartner(partners, 'price-plan')
      .description('Give a partner another price plan from now on. Payouts that were made before keep theirs.')
      .requiredOption('--plan <plan>', 'the id of the plan: `kelpie-admin plans list` shows them')
      .addOption(
        new Option('--environment <environment>', 'which of its environments; only live is ever charged')
          .choices(['live', 'sandbox'])
          .default('live'),
      )
      .action(async (partner: string, options: PlanOptions) => givePlan(partner, options)),
    {
      when: 'A partner and you agreed on other prices. A month’s account is charged by the plan at the month’s beginning.',
      examples: [
        'kelpie-admin partners price-plan acme --plan volume-1 --reason "contract of 2026-11" --operator ada@kelpie.example',
      ],
      prints: 'the plan that counts now, and where that stands in the log of the operators.',
    },
  );
}

export function addPartnerActs(partners: Command): void {
  addStatusActs(partners);
  addTermActs(partners);
}
