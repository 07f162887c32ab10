import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createCodeDigests, createConfirmations, createConfirmedTransactions } from '../../src/access/index.ts';
import { ApiError } from '../../src/platform/api-error.ts';
import type { ActToConfirm } from '../../src/platform/acts/confirmed-act.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createEncryptor } from '../../src/platform/encryption.ts';
import { createKeyedDigest } from '../../src/platform/keyed-digest.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createOutbox } from '../../src/platform/mail/outbox.ts';
import { createTestDatabase } from '../harness/database.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { signIn, type Person } from '../harness/people.ts';
import { testSecrets } from '../harness/secrets.ts';

// The rules that hold for every act that a person confirms by an emailed code. The act here adds a viewer.

const database = await createTestDatabase();
const pool = openPool({
  url: database.serviceUrl,
  connections: 10,
  applicationName: 'test',
  logger: createLogger('test', 'silent'),
  // A hundred at the same moment wait for ten connections, however busy the machine is.
  pace: 'unhurried',
});
after(async () => pool.end());
const partner = await createSimulatedPartner(database);

let shiftMs = 0;
const clock = { now: () => new Date(Date.now() + shiftMs) };
const [, dataKey = ''] = testSecrets.KELPIE_DATA_KEYS.split(':');
const outbox = createOutbox({
  jobs: { enqueue: async () => '' },
  encryptor: createEncryptor(new Map([[1, Buffer.from(dataKey, 'hex')]])),
  clock,
  fromDomain: 'kelpie.example',
  supportEmail: 'support@kelpie.example',
});
const indexKey = Buffer.from(testSecrets.KELPIE_INDEX_KEY, 'hex');
const digests = createCodeDigests(createKeyedDigest(indexKey, 'sign-in codes'));
const orderDigest = createKeyedDigest(indexKey, 'orders to confirm');
const party = { id: 'localhost', origins: ['http://localhost'] };
const confirmations = createConfirmations({ pool, clock, outbox, digests, orderDigest, party });
const inConfirmedTransaction = createConfirmedTransactions({ pool, confirmations });

interface Act {
  added: string;
  change?: Partial<ActToConfirm>;
}

async function newAct(): Promise<{ person: Person; act: Act }> {
  return { person: await signIn(database, partner, { url: '' }), act: { added: `${randomUUID()}@people.test` } };
}

/** What the caller is answered: `done`, or the code of the refusal. */
async function perform({ email: by, sessionId }: Person, { added, change }: Act, code?: string): Promise<string> {
  const toConfirm = {
    act: JSON.stringify(['add', added]),
    business: 'Tideway',
    does: `add ${added} to Tideway`,
    facts: [['Email', added]] as const,
    ...change,
  };
  const admin = { partnerId: partner.partnerId, by, sessionId };
  const answer = inConfirmedTransaction(admin, { code, plan: async () => ({ toConfirm }) }, partner, async (tx) => {
    await tx.query(
      `insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, 'viewer', now())`,
      [partner.partnerId, added],
    );
    return 'done';
  });
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError) return error.code;
    throw error;
  });
}

async function ask(person: Person, act: Act): Promise<string> {
  assert.equal(await perform(person, act), 'confirmation_required');
  return mailedCode(database, { to: person.email, kind: 'confirm-act' });
}

const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function isDone({ added }: Act): Promise<boolean> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query('select from kelpie.members where email = $1', [added]),
  );
  return rows.length === 1;
}

test('an act is done once its code is given, and its email says what the code is for', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  assert.equal(await isDone(act), false);
  const [mail, ...more] = await waitingMails(database, { to: person.email, kind: 'confirm-act' });
  assert(mail !== undefined && more.length === 0);
  assert(mail.text.replaceAll(/\s+/g, ' ').includes(`Use this code to add ${act.added} to Tideway.`), mail.text);
  assert.match(mail.text, /Account: Tideway\nEmail: /);
  assert.equal(await perform(person, act, code), 'done');
  assert.equal(await isDone(act), true);
});

test('faults 49: a code for one act confirms no other act, in no other session and for no other person', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  const changes: Partial<ActToConfirm>[] = [
    { act: 'other' },
    { business: 'Other' },
    { does: 'do something else' },
    { facts: [['Email', 'other@people.test']] },
  ];
  for (const change of changes)
    assert.equal(await perform(person, { ...act, change }, code), 'invalid_confirm_code', JSON.stringify(change));
  const elsewhere = await signIn(database, partner, { url: '', email: person.email });
  assert.equal(await perform(elsewhere, act, code), 'invalid_confirm_code');
  assert.equal(await perform((await newAct()).person, act, code), 'invalid_confirm_code');
  assert.equal(await isDone(act), false);
  assert.equal(await perform(person, act, code), 'done');
});

test('faults 49: a code is used once, also by 100 requests at the same moment', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  const answers = await Promise.all(Array.from({ length: 100 }, async () => perform(person, act, code)));
  assert.equal(answers.filter((answer) => answer === 'done').length, 1);
  assert.equal(answers.filter((answer) => answer === 'invalid_confirm_code').length, 99);
});

test('a code lasts five tries and five minutes, and a newer one replaces it', async (t) => {
  t.after(() => {
    shiftMs = 0;
  });
  const tried = await newAct();
  const code = await ask(tried.person, tried.act);
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal(await perform(tried.person, tried.act, wrong(code)), 'invalid_confirm_code');
  assert.equal(await perform(tried.person, tried.act, code), 'invalid_confirm_code');
  const old = await newAct();
  const first = await ask(old.person, old.act);
  shiftMs += 5 * 60_000;
  assert.equal(await perform(old.person, old.act, first), 'invalid_confirm_code');
  const second = await ask(old.person, old.act);
  if (first !== second) assert.equal(await perform(old.person, old.act, first), 'invalid_confirm_code');
  assert.equal(await perform(old.person, old.act, second), 'done');
});

test('guesses count before they are judged: of 100 at the same moment, five are', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  const answers = await Promise.all(Array.from({ length: 100 }, async () => perform(person, act, wrong(code))));
  assert.deepEqual([...new Set(answers)], ['invalid_confirm_code']);
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ tries: number }>('select tries from kelpie.payout_confirmations where session_id = $1', [
      person.sessionId,
    ]),
  );
  assert.deepEqual(rows, [{ tries: 5 }]);
  assert.equal(await perform(person, act, code), 'invalid_confirm_code');
});

test('a person gets five codes an hour, for payouts and for other acts together', async () => {
  const { person } = await newAct();
  const toConfirm = {
    partnerId: partner.partnerId,
    sessionId: person.sessionId,
    email: person.email,
    what: 'a payout',
  };
  await confirmations.ask(toConfirm, () => ({ subject: 'A code', lead: 'A code.', blocks: [] }));
  for (let codes = 0; codes < 4; codes += 1) await ask(person, { added: `${randomUUID()}@people.test` });
  assert.equal(await perform(person, { added: 'sixth@people.test' }), 'rate_limited');
  assert.equal((await waitingMails(database, { to: person.email, kind: 'confirm-act' })).length, 4);
});

test('what undoes the act gives its code back, and what is refused first asks for none', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  const admin = { partnerId: partner.partnerId, by: person.email, sessionId: person.sessionId };
  const refusal = new ApiError({ code: 'last_admin', message: 'Refused.' });
  const refused = inConfirmedTransaction(
    admin,
    {
      code: undefined,
      plan: async () => {
        throw refusal;
      },
    },
    partner,
    async () => 'never',
  );
  await assert.rejects(refused, (error) => error === refusal);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, 'viewer', now())`, [
      partner.partnerId,
      act.added,
    ]),
  );
  await assert.rejects(perform(person, act, code), (error) => valueAt(error, 'code') === '23505');
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('delete from kelpie.members where email = $1', [act.added]),
  );
  assert.equal(await perform(person, act, code), 'done');
  assert.equal((await waitingMails(database, { to: person.email, kind: 'confirm-act' })).length, 1);
});

test('a person who is no longer an admin is mailed no code, and confirms nothing', async () => {
  const { person, act } = await newAct();
  const code = await ask(person, act);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.members set role = 'viewer' where email = $1`, [person.email]),
  );
  for (const given of [undefined, code]) assert.equal(await perform(person, act, given), 'unauthorized');
  assert.equal(await isDone(act), false);
  assert.equal((await waitingMails(database, { to: person.email, kind: 'confirm-act' })).length, 1);
});
