import { InvalidArgumentError, type Command } from 'commander';
import { isAdminOf, isMemberOf, resetPasskeys, restoreMember } from '../../access/index.ts';
import { isMailAddress } from '../../platform/configuration/mail-address.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import { look, withOperator, withReason, writeCommand, type WithReason } from './run-command.ts';
import { withNotifier } from './with-notifier.ts';

function emailFrom(text: string): string {
  if (!isMailAddress(text)) throw new InvalidArgumentError('Use one email address, for example ada@acme.example.');
  return text.toLowerCase();
}

async function proposeRestore(slugOrId: string, email: string, options: WithReason): Promise<void> {
  const { id, slug } = await look(async (tx) => {
    const partner = await getPartner(tx, slugOrId);
    if (!(await isAdminOf(tx, partner.id, email))) return partner;
    throw new OperatorError(`${email} is an admin of ${partner.slug} already.`, 'nothing_to_do');
  });
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'member.restore',
      subject: id,
      revision: null,
      detail: { partner: slug, email, reason: options.reason },
      what: `make ${email} an admin of ${slug}`,
    }),
  );
}

/** What an approval of `members restore` does. */
export const memberRestoring: ApprovedAct = {
  as: 'service',
  async prepare({ id: proposalId, subject: partnerId, detail }, deps) {
    const { slug } = await look(async (tx) => getPartner(tx, partnerId));
    const email = String(detail['email']);
    return {
      context: { partnerId, environment: 'sandbox' },
      perform: async (tx) =>
        withNotifier(deps, async (notifying) => {
          if (!(await restoreMember(tx, notifying, { partnerId, email, proposalId })))
            throw new ActMoved(`${email} is an admin of ${slug} already.`);
          const sentence = `${email} is an admin of ${slug} again. Every admin is emailed. Sessions of others stay open.`;
          return { sentence, shown: { email, role: 'admin' } };
        }),
    };
  },
};

async function proposeReset(slugOrId: string, email: string, options: WithReason): Promise<void> {
  const { id, slug } = await look(async (tx) => {
    const partner = await getPartner(tx, slugOrId);
    if (await isMemberOf(tx, partner.id, email)) return partner;
    throw new OperatorError(`${email} is no member of ${partner.slug}.`, 'not_found');
  });
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'member.reset_passkeys',
      subject: id,
      revision: null,
      detail: { partner: slug, email, reason: options.reason },
      what: `remove all passkeys of ${email} at ${slug}`,
    }),
  );
}

/** What an approval of `members reset-passkeys` does. */
export const passkeysResetting: ApprovedAct = {
  as: 'service',
  async prepare({ id: proposalId, subject: partnerId, detail }, deps) {
    const { slug } = await look(async (tx) => getPartner(tx, partnerId));
    const email = String(detail['email']);
    return {
      context: { partnerId, environment: 'sandbox' },
      perform: async (tx) =>
        withNotifier(deps, async (notifying) => {
          if (!(await resetPasskeys(tx, notifying, { partnerId, email, proposalId })))
            throw new ActMoved(`${email} is no member of ${slug} any more.`);
          const sentence = `${email} has no passkey at ${slug} any more, and no session. They sign in with a code and add one within 72 hours. They and every admin are emailed.`;
          return { sentence, shown: { email, passkeys: 0 } };
        }),
    };
  },
};

export function addMemberCommands(kelpie: Command): void {
  const members = kelpie
    .command('members')
    .description('Restore an admin of a partner, or reset the passkeys of a member.');
  addHelp(
    withReason(writeCommand(members.command('restore')))
      .argument('<partner>', 'partner slug or id')
      .argument('<email>', 'the address to make an admin', emailFrom)
      .description(
        'Propose to make an address an admin of a partner again, for another operator to approve. It ends no session and removes no member. Every admin is emailed.',
      )
      .action(proposeRestore),
    {
      example: 'kelpie-admin members restore acme ada@acme.example --reason "identity checked by phone, ticket 812"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
  addHelp(
    withReason(writeCommand(members.command('reset-passkeys')))
      .argument('<partner>', 'partner slug or id')
      .argument('<email>', 'the member who has lost every passkey', emailFrom)
      .description(
        'Propose to remove all passkeys of a member, for another operator to approve. It ends their sessions. Where the account requires passkeys, they can add a first one for 72 hours. They and every admin are emailed.',
      )
      .action(proposeReset),
    {
      example:
        'kelpie-admin members reset-passkeys acme ada@acme.example --reason "identity checked by phone, ticket 812"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
  addGroupHelp(members, {
    about:
      'Partners manage their own members. Restore an admin who was removed or demoted by a thief, and reset the passkeys of a member who has lost them all.',
    example: 'kelpie-admin members restore acme ada@acme.example --reason "identity checked by phone, ticket 812"',
  });
}
