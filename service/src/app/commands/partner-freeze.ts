// Freezing a partner's live payouts takes one operator, ending the freeze two.
import type { Command } from 'commander';
import { freezePartner, listPaymentBlocks, unfreezePartner } from '../../payouts/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addHelp } from './help.ts';
import { print } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  describeDone,
  doneAsJson,
  look,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type WithReason,
} from './run-command.ts';

async function freeze(slugOrId: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { id, slug, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const partner = await getPartner(tx, slugOrId);
      const recorded = await deps.record(tx, { action: 'partner.freeze', subject: partner.id, detail: { reason } });
      if (!(await freezePartner(tx, { partnerId: partner.id, reason, at: deps.clock.now() })))
        throw new OperatorError(`The live payouts of ${partner.slug} are frozen already.`, 'nothing_to_do');
      return { ...partner, written: recorded };
    }),
  );
  const sentence = `The live payouts of ${slug} are frozen. New ones are refused, and what waits is not sent.`;
  print({ json }, { id, slug, frozen: true, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

/** More blocks than a partner can have. */
const mostBlocks = 100;

async function isFrozen(tx: Transaction, partnerId: string): Promise<boolean> {
  const blocks = await listPaymentBlocks(tx, { partnerId, atMost: mostBlocks });
  return blocks.some(({ cause }) => cause === 'frozen');
}

async function proposeUnfreeze(slugOrId: string, options: WithReason): Promise<void> {
  const { id, slug } = await look(async (tx) => {
    const partner = await getPartner(tx, slugOrId);
    if (await isFrozen(tx, partner.id)) return partner;
    throw new OperatorError(`${partner.slug} is not frozen.`, 'nothing_to_do');
  });
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'partner.unfreeze',
      subject: id,
      revision: null,
      detail: { partner: slug, reason: options.reason },
      what: `end the freeze of ${slug}`,
    }),
  );
}

/** What an approval of `partners unfreeze` does. */
export const partnerUnfreezing: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject }, { clock }) {
    const { slug } = await look(async (tx) => getPartner(tx, subject));
    return {
      async perform(tx) {
        if (!(await unfreezePartner(tx, { partnerId: subject, proposalId, at: clock.now() })))
          throw new ActMoved(`${slug} is no longer frozen.`);
        const sentence = `${slug} is no longer frozen. Other blocks stay: \`kelpie-admin rails list\`.`;
        return { sentence, shown: { frozen: false } };
      },
    };
  },
};

export function addFreezingPartners(partners: Command): void {
  addHelp(
    withReason(writeCommand(partners.command('freeze')).argument('<partner>', 'partner slug or id'))
      .description(
        'Freeze the live payouts of a partner. New ones are refused at once, and what waits is not sent. Its sandbox still works.',
      )
      .action(freeze),
    {
      example: 'kelpie-admin partners freeze acme --reason "an admin reports a stolen session, ticket 812"',
      prints: 'The partner and the audit log entry.',
    },
  );
  addHelp(
    withReason(writeCommand(partners.command('unfreeze')).argument('<partner>', 'partner slug or id'))
      .description(
        'Propose to end a freeze, for another operator to approve. What waited is sent once no block is left. Check the partner’s members and API keys first.',
      )
      .action(proposeUnfreeze),
    {
      example: 'kelpie-admin partners unfreeze acme --reason "the thief is removed, ticket 812"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
}
