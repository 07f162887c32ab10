// What the database has of a person: export and erasure, by an email address for a member, by a payout for a recipient.
import { InvalidArgumentError, type Command } from 'commander';
import { createCodeDigests } from '../../access/index.ts';
import { openRecipient } from '../../payouts/index.ts';
import { isMailAddress } from '../../platform/configuration/mail-address.ts';
import { settings } from '../../platform/configuration/settings.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { createEncryptor, type Encryptor } from '../../platform/encryption.ts';
import { createVersionedDigest } from '../../platform/keyed-digest.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { eraseMails } from '../data-protection/erase-mails.ts';
import { idsOf, listMemberRows, type PersonRows } from '../data-protection/member-rows.ts';
import { listRecipientRows, type RecipientRow } from '../data-protection/recipient-rows.ts';
import {
  eraseMember,
  eraseRecipient,
  findRequestedEmail,
  findOpenAccount,
  keepRequest,
  requestPlace,
} from '../data-protection/store.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { counted, print } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  chosenSettings,
  doneAsJson,
  idFrom,
  look,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type WithReason,
} from './run-command.ts';

type Person = { kind: 'member'; email: string } | { kind: 'recipient'; payoutId: string };

function personFrom(text: string): Person {
  if (isMailAddress(text)) return { kind: 'member', email: text.toLowerCase() };
  const payoutId = idFrom(text);
  if (payoutId !== undefined) return { kind: 'recipient', payoutId };
  throw new InvalidArgumentError('Use an email address for a member, or the id of a payout for its recipient.');
}

function openKeys(): { encryptor: Encryptor; digestOf: (email: string) => Buffer } {
  const { dataKeys, indexKey } = chosenSettings((get) => ({
    dataKeys: get(settings.dataKeys),
    indexKey: get(settings.indexKey),
  }));
  const digests = createCodeDigests(createVersionedDigest(indexKey, 'sign-in codes').newest);
  return { encryptor: createEncryptor(dataKeys), digestOf: (email) => digests.ofEmail(email) };
}

/** What stands for a person in the audit log, which is kept for ever. */
function subjectOf(person: Person): string {
  return person.kind === 'recipient' ? person.payoutId : openKeys().digestOf(person.email).toString('hex');
}

const none = new OperatorError('Nothing in the database names this person.', 'not_found');

async function readMember(email: string): Promise<PersonRows> {
  const found = await look(async (tx) => listMemberRows(tx, email), 'unhurried');
  if (Object.keys(found).length === 0) throw none;
  return found;
}

async function readRecipient(payoutId: string): Promise<[RecipientRow, ...RecipientRow[]]> {
  const [first, ...others] = await look(async (tx) => listRecipientRows(tx, payoutId), 'unhurried');
  if (first === undefined) throw new OperatorError(`No payout has the id ${payoutId}.`, 'not_found');
  return [first, ...others];
}

function describePayout({ recipient_encrypted: encrypted, ...row }: RecipientRow, encryptor: Encryptor): object {
  const details = encrypted === null ? null : openRecipient(encryptor, { id: row.id, recipientEncrypted: encrypted });
  return { ...row, recipient: details };
}

async function collect(person: Person): Promise<PersonRows> {
  if (person.kind === 'member') return readMember(person.email);
  const { encryptor } = openKeys();
  return { payouts: (await readRecipient(person.payoutId)).map((row) => describePayout(row, encryptor)) };
}

async function exportPerson(person: Person, options: WithReason): Promise<void> {
  const { dryRun, reason } = options;
  const found = await collect(person);
  const action = `${person.kind === 'member' ? 'person' : 'recipient'}.export`;
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) =>
      deps.record(tx, { action, subject: subjectOf(person), detail: { reason } }),
    ),
  );
  const counts = Object.fromEntries(Object.entries(found).map(([table, rows]) => [table, rows.length]));
  const shown = { ...(dryRun ? { rows: counts } : { found }), ...doneAsJson(dryRun, written) };
  print({ json: true }, shown, '');
}

async function refuseOpenAccount(tx: Transaction, email: string): Promise<void> {
  const slug = await findOpenAccount(tx, email);
  if (slug !== null)
    throw new ActMoved(
      `This person is a member or a contact of ${slug}, which is open. An admin of ${slug} removes them first.`,
      'still_needed',
    );
}

async function proposeErasure(person: Person, options: WithReason): Promise<void> {
  const { reason } = options;
  const subject = subjectOf(person);
  const common = { subject, revision: null, detail: { reason } };
  if (person.kind === 'recipient') {
    const payouts = await readRecipient(person.payoutId);
    await withOperator('operator', async (deps) =>
      propose(deps, options, {
        ...common,
        action: 'recipient.erase',
        what: `erase the recipient of ${counted(payouts.length, 'payout')}`,
      }),
    );
    return;
  }
  const { email } = person;
  await look(async (tx) => refuseOpenAccount(tx, email));
  await readMember(email);
  const { encryptor } = openKeys();
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      ...common,
      action: 'person.erase',
      what: `erase ${email}`,
      alsoKeep: async (tx, id) =>
        keepRequest(tx, { id, emailEncrypted: encryptor.encrypt(email, requestPlace(id)), at: deps.clock.now() }),
    }),
  );
}

/** What an approval of `people erase` does for a member. */
export const memberErasing: ApprovedAct = {
  as: 'service',
  async prepare({ id, subject }, { clock }) {
    const { encryptor, digestOf } = openKeys();
    const encrypted = await look(async (tx) => findRequestedEmail(tx, id));
    if (encrypted === null) throw new ActMoved('The address is no longer known. Propose it again.');
    const email = encryptor.decrypt(encrypted, requestPlace(id));
    await look(async (tx) => refuseOpenAccount(tx, email));
    const rows = idsOf(await readMember(email));
    return {
      async perform(tx) {
        const at = clock.now();
        const erasure = { proposalId: id, subject, email, emailHmac: digestOf(email), rows, at };
        if (!(await eraseMember(tx, erasure)))
          throw new ActMoved('This person is a member or a contact of an open account again.', 'still_needed');
        const mails = await eraseMails(tx, encryptor, { email, at });
        const sentence = `The person is erased from ${counted(rows.length, 'row')}, and ${counted(mails, 'waiting email')} given up. Invoices, and the audit log where it restored an admin, keep the address: docs/data-protection.md.`;
        return { sentence, shown: { rows: rows.length, mails } };
      },
    };
  },
};

/** What an approval of `people erase` does for a recipient. */
export const recipientErasing: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject: payoutId }, { clock }) {
    const payoutIds = (await readRecipient(payoutId)).map(({ id }) => id);
    return {
      async perform(tx) {
        const erased = await eraseRecipient(tx, { proposalId, payoutIds, at: clock.now() });
        if (erased === null) throw new ActMoved('A payout to this recipient is not final, or has an open case.');
        return { sentence: `The recipient is erased from ${counted(erased, 'payout')}.`, shown: { payouts: erased } };
      },
    };
  },
};

export function addPeopleCommands(kelpie: Command): void {
  const people = kelpie.command('people').description('Export and erase what is stored of a person.');
  const who = 'email address of a member, or id of a payout for its recipient';
  addHelp(
    withReason(writeCommand(people.command('export')))
      .argument('<person>', who, personFrom)
      .description(
        'Show everything stored of a person, as JSON. Reads every payout and all activity, which takes a while on a large database. A dry run counts.',
      )
      .action(exportPerson),
    {
      example: 'kelpie-admin people export ada@acme.example --reason "subject access request, ticket 812"',
      prints: 'The rows that name the person, by table, and the audit log entry, which does not name them.',
    },
  );
  addHelp(
    withReason(writeCommand(people.command('erase')))
      .argument('<person>', who, personFrom)
      .description(
        'Propose to erase a person, for another operator to approve. Amounts, states and times stay, and the ledger with them. Live payouts keep their recipient for six years unless the law allows less.',
      )
      .action(proposeErasure),
    {
      example: 'kelpie-admin people erase ada@acme.example --reason "erasure request, ticket 812"',
      prints: 'The proposal, how another operator approves it, and the audit log entry.',
    },
  );
  addGroupHelp(people, {
    about:
      'A member is found by email address in every account. A recipient is found by one payout: every payout of that partner and environment to the same account under the same name.',
    example: 'kelpie-admin people export ada@acme.example --reason "subject access request, ticket 812"',
  });
}
