import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createCodeDigests } from '../../../src/access/index.ts';
import { memberPlaces } from '../../../src/app/data-protection/member-rows.ts';
import { encryptRecipient } from '../../../src/payouts/records/encrypted-recipient.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createEncryptor } from '../../../src/platform/encryption.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createKeyedDigest } from '../../../src/platform/keyed-digest.ts';
import { encryptContent, openContent } from '../../../src/platform/mail/encrypted-content.ts';
import { readClassedColumns } from '../../database/data-classes.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createPartners } from '../../harness/partners.ts';
import { plantPayout } from '../../harness/planted-payout.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from './kelpie-admin.ts';

// A person who is in payouts, emails, activity and members is found nowhere after their erasure, and the money is unchanged.

const database = await createTestDatabase();
async function createTwo() {
  const [open, closed] = await createPartners(database, 2, 'live');
  assert(open !== undefined && closed !== undefined);
  return { open, closed };
}

const { open, closed } = await createTwo();
const encryptor = createEncryptor(new Map([[1, Buffer.from(testSecrets.KELPIE_DATA_KEYS.slice(2), 'hex')]]));
const digests = createCodeDigests(createKeyedDigest(Buffer.from(testSecrets.KELPIE_INDEX_KEY, 'hex'), 'sign-in codes'));

const email = 'mallory.quince@people.test';
const why = ['--reason', 'erasure request, ticket 812'];

async function admin<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

async function run(args: readonly string[], isSecond = false): Promise<CommandResult> {
  return kelpieAdmin(database, [...args, '--json'], isSecond ? asSecondPerson(database) : {});
}

/** Every table with a row that has this text, and every encrypted email with it. */
async function findEverywhere(text: string): Promise<string[]> {
  const tables = await admin<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('kelpie', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await admin<{ rows: number }>(
      `select count(*)::int as rows from ${name} t
       where strpos(lower(t::text), lower($1)) > 0 or strpos(t::text, encode(convert_to($1, 'utf8'), 'hex')) > 0`,
      [text],
    );
    if ((row?.rows ?? 0) > 0) found.push(name);
  }
  const mails = await admin<{ id: string; content_encrypted: Buffer }>(
    'select id, content_encrypted from kelpie.outgoing_mails where content_encrypted is not null',
  );
  for (const mail of mails)
    if (JSON.stringify(openContent(encryptor, mail.id, mail.content_encrypted)).includes(text)) found.push('an email');
  return found;
}

async function digestMoney(): Promise<string> {
  const [row] = await admin<{ digest: string }>(
    `select md5(string_agg(row(id, state, revision, amount_pence, fee_pence, wallet_debit_micro_usdc, updated_at)::text, '|' order by id))
       || (select coalesce(md5(string_agg(e::text, '|' order by transfer_id, line)), '') from kelpie.ledger_entries e) as digest
     from kelpie.payouts`,
  );
  return row?.digest ?? '';
}

/** In the account that was closed, where they are still a member, and in the open one, which has removed them. */
async function plantMember(): Promise<void> {
  const payout = await plantPayout(database, closed, 'completed');
  const mailId = newId(systemClock);
  const content = { to: email, subject: 'A subject', text: 'A text', html: 'A page', attachment: null };
  const ids = Array.from({ length: 8 }, () => newId(systemClock));
  const of = closed.partnerId;
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `update kelpie.partners set contact_email = $2, closed_at = now(), status = 'closed' where id = $1`,
      [of, email],
    );
    await client.query('set session_replication_role = replica');
    const act = async (sql: string, values: unknown[]): Promise<void> => void (await client.query(sql, values));
    await act(
      `insert into kelpie.members (partner_id, email, name, role, created_at) values ($1, $2, 'Mallory Quince', 'admin', now())`,
      [of, email],
    );
    await act(
      `insert into kelpie.members (partner_id, email, role, invited_by, created_at) values ($1, 'ada@people.test', 'admin', $2, now())`,
      [open.partnerId, email],
    );
    await act(
      `insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at, network, browser)
       values ($1, $2, $3, sha256('t'), now(), now(), '192.0.2.0/24', 'Firefox on Windows')`,
      [ids[0], of, email],
    );
    await act(
      `insert into kelpie.browsers (id, email_hmac, token_hmac, created_at, last_used_at) values ($1, $2, sha256('b'), now(), now())`,
      [ids[1], digests.ofEmail(email)],
    );
    await act(`update kelpie.payouts set created_via = 'dashboard', created_by = $2 where id = $1`, [payout.id, email]);
    await act(`update kelpie.payout_history set by = $2 where payout_id = $1`, [payout.id, email]);
    await act(
      `insert into kelpie.activity (id, partner_id, environment, action, status, by) values ($1, $2, 'live', 'payout.create', 201, $3)`,
      [ids[2], of, email],
    );
    await act(
      `insert into kelpie.activity_pages (id, partner_id, size, entries) values ($1, $2, 1, jsonb_build_array(jsonb_build_array($1::uuid::text, null, 'account.get', 200, $3::text, null)))`,
      [ids[3], of, email],
    );
    await act(
      `insert into kelpie.security_events (id, partner_id, action, status, by, network, browser)
       values ($1, $2, 'login.verify', 200, $3, '192.0.2.0/24', 'Firefox on Windows')`,
      [ids[4], of, email],
    );
    await act(
      `insert into kelpie.security_events (id, partner_id, action, status, by, detail, network) values ($1, $2, 'member.remove', 200, 'ada@people.test', $3, '198.51.100.0/24')`,
      [ids[5], open.partnerId, email],
    );
    await act(
      `insert into kelpie.events (id, partner_id, environment, sequence, type, subject_id, version, at, snapshot)
       values ($1, $2, 'live', 1, 'member.removed', $1, 1, now(), jsonb_build_object('email', $3::text, 'name', 'Mallory Quince'))`,
      [ids[6], open.partnerId, email],
    );
    await act(
      `insert into kelpie.payment_block_history (block_id, what, cause, partner_id, environment, reason, at, by)
       values (gen_random_uuid(), 'blocked', 'frozen', $1, 'live', 'frozen by its admin ' || $2::text, now(), $2::text)`,
      [of, email],
    );
    await act(
      `insert into kelpie.outgoing_mails (id, kind, message_id, content_encrypted, created_at) values ($1, 'test', '<a@b>', $2, now())`,
      [mailId, encryptContent(encryptor, mailId, content)],
    );
  });
}

async function approve(proposed: CommandResult): Promise<CommandResult> {
  assert.equal(proposed.code, 0, proposed.said);
  return run(['approvals', 'approve', textAt(proposed.data(), 'id')], true);
}

async function verifyAudit(): Promise<void> {
  const verified = await run(['audit', 'verify']);
  assert.equal(verified.code, 0, verified.said);
}

test('a member of an open account is not erased', async () => {
  await admin(`insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, 'viewer', now())`, [
    open.partnerId,
    email,
  ]);
  const refused = await run(['people', 'erase', email, ...why]);
  assert.equal(valueAt(refused.json(), 'error.code'), 'still_needed');
  await admin('delete from kelpie.members where email = $1', [email]);
});

test('a member who is in payouts, emails, activity and members is exported, and found nowhere once two operators erased them', async () => {
  await plantMember();
  const money = await digestMoney();
  const before = await findEverywhere(email);
  assert(before.length > 10, before.join());
  const exported = await run(['people', 'export', email.toUpperCase(), ...why]);
  assert.equal(exported.code, 0, exported.said);
  for (const table of [
    'members',
    'sessions',
    'payouts',
    'payout_history',
    'activity',
    'activity_pages',
    'security_events',
    'events',
  ])
    assert(listAt(exported.data(), `found.${table}`).length > 0, table);

  const proposed = await run(['people', 'erase', email, ...why]);
  const own = await run(['approvals', 'approve', textAt(proposed.data(), 'id')]);
  assert.equal(valueAt(own.json(), 'error.code'), 'second_operator_required');
  assert.deepEqual(await findEverywhere(email), before, 'a proposal does not name them');
  const erased = await approve(proposed);
  assert.equal(erased.code, 0, erased.said);

  for (const text of [email, 'Mallory Quince']) assert.deepEqual(await findEverywhere(text), [], text);
  assert.deepEqual(await admin('select from kelpie.browsers'), []);
  assert.deepEqual(await admin(`select by, network::text from kelpie.security_events order by by`), [
    { by: 'ada@people.test', network: '198.51.100.0/24' },
    { by: 'erased', network: null },
  ]);
  assert.equal(await digestMoney(), money);
  await verifyAudit();
  assert.equal(valueAt((await run(['people', 'erase', email, ...why])).json(), 'error.code'), 'not_found');
});

test('whose address has that of an erased person within it keeps theirs', async () => {
  const [person, others] = ['kim@people.test', ['joakim@people.test', 'kim@people.test.uk', 'jo.kim@people.test']];
  const detail = [...others, person].join(', ');
  await admin(
    `insert into kelpie.security_events (id, partner_id, action, status, by, detail) values ($1, $2, 'member.invite', 201, $3, $4)`,
    [newId(systemClock), open.partnerId, others[0], detail],
  );
  const mails = await Promise.all(
    [...others, person].map(async (to) => {
      const id = newId(systemClock);
      const content = { to, subject: 'A subject', text: 'A text', html: 'A page', attachment: null };
      await admin(
        `insert into kelpie.outgoing_mails (id, kind, message_id, content_encrypted, created_at) values ($1, 'test', $2, $3, now())`,
        [id, `<${id}@b>`, encryptContent(encryptor, id, content)],
      );
      return { id, to };
    }),
  );
  const erased = await approve(await run(['people', 'erase', person, ...why]));
  assert.equal(erased.code, 0, erased.said);
  assert.deepEqual(await admin(`select by, detail from kelpie.security_events where action = 'member.invite'`), [
    { by: others[0], detail: [...others, 'erased'].join(', ') },
  ]);
  const waiting = await admin<{ id: string }>(
    'select id from kelpie.outgoing_mails where content_encrypted is not null',
  );
  assert.deepEqual(
    mails.filter(({ id }) => waiting.some((mail) => mail.id === id)).map(({ to }) => to),
    others,
  );
});

const recipient = {
  type: 'individual' as const,
  firstName: 'Thaddeus',
  lastName: 'Quillfeather',
  email: 'thaddeus@people.test',
  bankName: 'Example Bank',
  sortCode: '040004',
  accountNumber: '31926819',
  address: { line1: '7 Heron Walk', line2: null, city: 'Leeds', region: 'Leeds', postalCode: 'LS1 1AA' },
};

async function plantPaid(state: 'completed' | 'processing', account: string): Promise<string> {
  const { id } = await plantPayout(database, open, state);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `update kelpie.payouts set recipient_name = 'Thaddeus Quillfeather', account_last4 = '6819', recipient_encrypted = $2,
         account_index = sha256($3::bytea) where id = $1`,
      [id, encryptRecipient(encryptor, id, recipient), account],
    );
  });
  return id;
}

test('a recipient is exported with every payout to them, and erased from all of them but from no other', async () => {
  const [first, second] = [await plantPaid('completed', 'one'), await plantPaid('completed', 'one')];
  const other = await plantPaid('completed', 'two');
  const money = await digestMoney();
  const exported = await run(['people', 'export', first, ...why]);
  assert.deepEqual(
    listAt(exported.data(), 'found.payouts').map((payout) => [
      textAt(payout, 'id'),
      textAt(payout, 'recipient.account_number'),
    ]),
    [
      [first, recipient.accountNumber],
      [second, recipient.accountNumber],
    ],
  );
  const erased = await approve(await run(['people', 'erase', first, ...why]));
  assert.equal(erased.code, 0, erased.said);
  assert.deepEqual(
    await admin(
      `select id from kelpie.payouts where recipient_name like 'Thad%' or recipient_encrypted is not null and id = any ($1)`,
      [[first, second, other]],
    ),
    [{ id: other }],
  );
  assert.equal(await digestMoney(), money);
  await verifyAudit();
});

test('a recipient is kept while a payout to them is not final', async () => {
  const completed = await plantPaid('completed', 'three');
  await plantPaid('processing', 'three');
  const refused = await approve(await run(['people', 'erase', completed, ...why]));
  assert.equal(valueAt(refused.json(), 'error.code'), 'revision_changed');
  assert.equal((await findEverywhere('Thaddeus Quillfeather')).length, 1);
});

test('no role of ours erases anything without two operators', async () => {
  const ids = [newId(systemClock)];
  for (const url of [database.serviceUrl, database.operatorUrl])
    await asAdmin(url, async (client) => {
      await assert.rejects(client.query('select kelpie.operator_erase_recipient($1, $2, now())', [randomUUID(), ids]), {
        code: '42501',
      });
      await assert.rejects(
        client.query('select kelpie.operator_erase_member($1, $2, $3, $4, $5, now())', [
          randomUUID(),
          'x',
          email,
          Buffer.alloc(32),
          ids,
        ]),
        { code: '42501' },
      );
      await assert.rejects(client.query(`update kelpie.activity set by = 'erased'`), { code: '42501' });
    });
});

/** What names no member, and why. */
const otherPersons: Readonly<Record<string, string>> = {
  'case_history.by': 'operators',
  'cases.closed_by': 'operators',
  'cases.closed_reason': 'operators',
  'audit_log.operator': 'operators',
  'audit_log.subject': 'ids, and the digest of an address',
  'proposals.subject': 'ids, and the digest of an address',
  'proposals.proposed_by': 'operators',
  'proposals.decided_by': 'operators',
  'proposals.decided_reason': 'operators',
  'invoice_payments.by': 'operators',
  'price_plan_changes.by': 'operators',
  'single_charges.by': 'operators',
  'reconciliations.asked_by': 'operators',
  'recoveries.begun_by': 'operators',
  'recoveries.reason': 'operators',
  'recoveries.opened_by': 'operators',
  'payouts.recipient_name': 'found by a payout',
  'payout_requests.recipient_name': 'erased with the payouts to that account',
  'outgoing_mails.content_encrypted': 'looked through when a member is erased',
  'erasure_requests.email_encrypted': 'deleted with the erasure',
  'sign_in_codes.sign_up_encrypted': 'found by a digest; deleted after a day',
  'rate_buckets.subject': 'a network, for minutes',
  'unnumbered_events.snapshot': 'numbered within moments',
};

test('every column of the class person is searched for a member, or is listed here with the reason', () => {
  const searched = new Set(
    memberPlaces.flatMap(({ table, shown }) => shown.split(', ').map((column) => `${table}.${column}`)),
  );
  const missing = readClassedColumns()
    .filter((one) => one.class === 'person')
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !searched.has(name) && !(name in otherPersons));
  assert.deepEqual(missing, []);
});
