// Closing an account ends it for good, and takes two operators.
import type { Command } from 'commander';
import { closePartner, findClosingObstacle, type ClosingObstacle } from '../../partners/index.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addHelp } from './help.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import { look, withOperator, withReason, writeCommand, type WithReason } from './run-command.ts';

const sentences: Readonly<Record<ClosingObstacle, string>> = {
  payouts_open: 'A live payout is open.',
  cases_open: 'A case about its money is open.',
  wallet_not_empty: 'Its live wallet holds money.',
  suspense: 'Money in suspense is not assigned yet.',
  deposit_pending: 'A top-up is on its way.',
  debt: 'It owes for a deposit that was reversed.',
  invoices_unpaid: 'An invoice is not paid.',
};

function stays(slug: string, obstacle: ClosingObstacle): string {
  return `${slug} stays open. ${sentences[obstacle]}`;
}

async function proposeClosing(slugOrId: string, options: WithReason): Promise<void> {
  const { id, slug } = await look(async (tx) => {
    const partner = await getPartner(tx, slugOrId);
    if (partner.status === 'closed') throw new OperatorError(`${partner.slug} is already closed.`, 'nothing_to_do');
    const obstacle = await findClosingObstacle(tx, partner.id);
    if (obstacle !== null) throw new OperatorError(`${stays(partner.slug, obstacle)} Nothing changed.`, obstacle);
    return partner;
  });
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'partner.close',
      subject: id,
      revision: null,
      detail: { partner: slug, reason: options.reason },
      what: `close the account of ${slug} for good`,
    }),
  );
}

/** What an approval of `partners close` does. */
export const partnerClosing: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject }, { clock }) {
    const { slug } = await look(async (tx) => getPartner(tx, subject));
    return {
      async perform(tx) {
        const outcome = await closePartner(tx, subject, { proposalId, at: clock.now() });
        if (outcome === 'closed_before') throw new ActMoved(`${slug} is already closed.`, 'nothing_to_do');
        if (outcome !== 'closed') throw new ActMoved(stays(slug, outcome), outcome);
        const sentence = `The account of ${slug} is closed. Its last invoice follows on the 1st.`;
        return { sentence, shown: { status: 'closed' } };
      },
    };
  },
};

export function addClosingPartners(partners: Command): void {
  addHelp(
    withReason(writeCommand(partners.command('close')).argument('<partner>', 'partner slug or id'))
      .description(
        'Propose to close an account for good, for another operator to approve. It can no longer create payouts, and no month after this one is charged. Its members still sign in and read. Refused while a live payout or case is open, money is in the live wallet, or something is owed.',
      )
      .action(proposeClosing),
    {
      example: 'kelpie-admin partners close acme --reason "contract ended, ticket 812"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
}
