// Commands that change an existing partner.
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  clearScreening,
  activatePartner,
  planActivation,
  planSuspension,
  setPricePlan,
  setRateFactor,
  setScreening,
  suspendPartner,
  type AdminPartner,
} from '../../partners/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  look,
  writeCommand,
  runAudited,
  doneAsJson,
  withOperator,
  describeDone,
  withReason,
  type OperatorDeps,
  type WithReason,
} from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

/** A change with its audit entry and its result for people and programs. */
interface Change {
  action: string;
  detail: Readonly<Record<string, string | number>>;
  sentence: string;
  shown: object;
  make: () => Promise<void>;
}

/** Records and makes a change in one transaction, then prints it. */
async function change(
  slugOrId: string,
  options: WithReason,
  plan: (tx: Transaction, partner: AdminPartner, deps: OperatorDeps) => Change,
): Promise<void> {
  const { json, dryRun, reason } = options;
  const { partner, planned, written } = await withOperator('operator', async (deps) =>
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
  const done = { id: partner.id, slug: partner.slug, ...planned.shown, ...doneAsJson(dryRun, written) };
  print({ json }, done, describeDone(planned.sentence, dryRun, written));
}

async function suspend(slugOrId: string, options: WithReason): Promise<void> {
  await change(slugOrId, options, (tx, partner) => {
    const { slug, status } = partner;
    const planned = planSuspension(partner);
    if (planned === null) throw new OperatorError(`${slug} is ${status}. Nothing to suspend.`, 'nothing_to_do');
    const { from, to } = planned;
    return {
      action: 'partner.suspend',
      detail: { from, to },
      sentence: `The status of ${slug} changed from ${from} to ${to}.`,
      shown: { from, to },
      async make() {
        if (!(await suspendPartner(tx, partner.id, from)))
          throw new OperatorError(
            `The status of ${slug} changed while the command ran, so this command changed nothing. Check and retry.`,
          );
      },
    };
  });
}

async function proposeActivation(slugOrId: string, options: WithReason): Promise<void> {
  const partner = await look(async (tx) => getPartner(tx, slugOrId));
  const { id, slug, status } = partner;
  const to = planActivation(partner);
  if (to === null) throw new OperatorError(`${slug} is ${status}. Nothing to activate.`, 'nothing_to_do');
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'partner.activate',
      subject: id,
      revision: null,
      detail: { partner: slug, to, reason: options.reason },
      what: `change the status of ${slug} from suspended to ${to}`,
    }),
  );
}

/** What an approval of `partners activate` does. */
export const partnerActivation: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject, detail }, { clock }) {
    const partner = await look(async (tx) => getPartner(tx, subject));
    const { slug } = partner;
    const moved = new ActMoved(`The status or the verification of ${slug} is no longer what it was.`);
    // Its verification may have changed since, too.
    if (planActivation(partner) !== detail['to']) throw moved;
    return {
      async perform(tx) {
        if (!(await activatePartner(tx, subject, { proposalId, at: clock.now() }))) throw moved;
        const { to } = detail;
        return { sentence: `The status of ${slug} changed from suspended to ${to}.`, shown: { from: 'suspended', to } };
      },
    };
  },
};

function sameScreening(slug: string, screening: string): OperatorError {
  return new OperatorError(`The screening of ${slug} is already ${screening}.`, 'nothing_to_do');
}

/** What closes live takes one operator, what opens it two. */
async function setResult(slugOrId: string, options: WithReason & { result: string }): Promise<void> {
  await (options.result === 'clear' ? proposeClearance(slugOrId, options) : closeLive(slugOrId, options));
}

async function proposeClearance(slugOrId: string, options: WithReason): Promise<void> {
  const { id, slug, screening: from } = await look(async (tx) => getPartner(tx, slugOrId));
  if (from === 'clear') throw sameScreening(slug, from);
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'partner.clear_screening',
      subject: id,
      revision: null,
      detail: { partner: slug, from, reason: options.reason },
      what: `change the screening of ${slug} from ${from} to clear`,
    }),
  );
}

/** What an approval of `partners screening --result clear` does. */
export const screeningClearance: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject, detail: { from } }, { clock }) {
    const { slug, screening } = await look(async (tx) => getPartner(tx, subject));
    const moved = new ActMoved(`The screening of ${slug} is no longer ${from}.`);
    if (screening !== from) throw moved;
    return {
      async perform(tx) {
        if (!(await clearScreening(tx, subject, { proposalId, at: clock.now() }))) throw moved;
        return { sentence: `The screening of ${slug} changed from ${from} to clear.`, shown: { from, to: 'clear' } };
      },
    };
  },
};

async function closeLive(slugOrId: string, options: WithReason & { result: string }): Promise<void> {
  await change(slugOrId, options, (tx, { id, slug, screening: from }) => {
    const { result: to } = options;
    if (from === to) throw sameScreening(slug, from);
    return {
      action: 'partner.screening',
      detail: { from, to },
      sentence: `The screening of ${slug} changed from ${from} to ${to}. It can no longer create live payouts.`,
      shown: { from, to },
      async make() {
        if (!(await setScreening(tx, id, { from, to })))
          throw new OperatorError(
            `The screening of ${slug} changed while the command ran, so this command changed nothing. Check and retry.`,
          );
      },
    };
  });
}

function factorFrom(text: string): number {
  const factor = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (factor < 1 || factor > 1_000) throw new InvalidArgumentError('Use a whole number from 1 to 1000.');
  return factor;
}

async function setLimits(slugOrId: string, options: WithReason & { factor: number }): Promise<void> {
  await change(slugOrId, options, (tx, { id, slug, rateFactor: from }) => {
    const { factor: to } = options;
    if (from === to) throw new OperatorError(`The rate limits of ${slug} are already × ${to}.`, 'nothing_to_do');
    return {
      action: 'partner.limit',
      detail: { from, to },
      sentence: `The rate limits of ${slug} changed from × ${from} to × ${to}.`,
      shown: { from, to },
      async make() {
        if (!(await setRateFactor(tx, id, to))) throw new OperatorError(`${slug} no longer exists.`, 'not_found');
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
      sentence: `${slug} is on price plan ${plan} in ${environment} from now on. Existing payouts keep their prices.`,
      shown: { environment, plan },
      async make() {
        const outcome = await setPricePlan(tx, { partnerId, environment }, { plan, at: clock.now() });
        switch (outcome) {
          case 'changed':
            return;
          case 'same':
            throw new OperatorError(`${slug} is already on price plan ${plan} in ${environment}.`, 'nothing_to_do');
          case 'no_plan':
            throw new OperatorError(
              `No price plan has the id ${plan}. \`kelpie-admin plans list\` shows the ids.`,
              'not_found',
            );
          case 'no_environment':
            throw new OperatorError(`${slug} has no ${environment} environment yet.`, 'not_found');
        }
      },
    };
  });
}

function actOnPartner(partners: Command, name: string): Command {
  return withReason(writeCommand(partners.command(name)).argument('<partner>', 'partner slug or id'));
}

const printsChange = 'The old value, the new value and the audit log entry.';

function addStatusActs(partners: Command): void {
  addHelp(
    actOnPartner(partners, 'suspend')
      .description(
        'Suspend a partner. It can no longer create payouts, in sandbox or live. Payouts in flight continue, and it can still read its data.',
      )
      .action(async (partner: string, options: WithReason) => suspend(partner, options)),
    {
      example: 'kelpie-admin partners suspend acme --reason "invoice KP-000012 unpaid"',
      prints: printsChange,
    },
  );
  addHelp(
    actOnPartner(partners, 'activate')
      .description(
        'Reactivate a suspended partner, with the approval of another operator. It can create live payouts again only if its business is verified.',
      )
      .action(async (partner: string, options: WithReason) => proposeActivation(partner, options)),
    {
      example: 'kelpie-admin partners activate acme --reason "paid on 14 November"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
}

function addScreeningAct(partners: Command): void {
  addHelp(
    actOnPartner(partners, 'screening')
      .description(
        'Set the sanctions screening of a partner. With `review` or `blocked` it can no longer create live payouts, and what waits is not sent. `clear` is a proposal that another operator approves.',
      )
      .addOption(
        new Option('--result <result>', 'what the screening found')
          .choices(['review', 'blocked', 'clear'])
          .makeOptionMandatory(),
      )
      .action(async (partner: string, options: WithReason & { result: string }) => setResult(partner, options)),
    {
      example: 'kelpie-admin partners screening acme --result review --reason "possible match, ticket 812"',
      prints: printsChange,
    },
  );
}

function addTermActs(partners: Command): void {
  addHelp(
    actOnPartner(partners, 'limits')
      .description(
        'Set the rate limits of a partner’s API keys. Multiplies the default limits of requests and payouts. Takes effect within seconds.',
      )
      .requiredOption('--factor <number>', '1 (the default limits) to 1000', factorFrom)
      .action(async (partner: string, options: WithReason & { factor: number }) => setLimits(partner, options)),
    {
      example: 'kelpie-admin partners limits acme --factor 4 --reason "launch on Friday"',
      prints: printsChange,
    },
  );
  addHelp(
    actOnPartner(partners, 'price-plan')
      .description(
        'Change a partner’s price plan from now on. Existing payouts keep their prices. The monthly fee follows the plan at the start of the month.',
      )
      .requiredOption('--plan <plan>', 'price plan id, from `kelpie-admin plans list`')
      .addOption(
        new Option('--environment <environment>', 'environment to change; only live is charged')
          .choices(['live', 'sandbox'])
          .default('live'),
      )
      .action(async (partner: string, options: PlanOptions) => givePlan(partner, options)),
    {
      example: 'kelpie-admin partners price-plan acme --plan volume-1 --reason "contract of 2026-11"',
      prints: 'The new price plan and the audit log entry.',
    },
  );
}

export function addPartnerActs(partners: Command): void {
  addStatusActs(partners);
  addScreeningAct(partners);
  addTermActs(partners);
}
