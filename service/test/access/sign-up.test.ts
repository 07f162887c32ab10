import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { callAs } from '../harness/people.ts';
import { addMembers, askCode, cookieOf, giveCode, newAddress, readCode } from '../harness/sign-in.ts';
import { startWorld } from '../harness/world.ts';

const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const world = await startWorld({ env: { KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}` } });
const { url } = world.api;

const newSlug = (): string => `s-${randomBytes(6).toString('hex')}`;

async function signUp(body: { email: string; slug: string; name?: string; full_name?: string }): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/signup', { method: 'POST', body: { name: 'Example Ltd', ...body } });
}

async function countPartners(slug: string): Promise<number> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query('select 1 from kelpie.partners where slug = $1', [slug]),
  );
  return rows.length;
}

test('who signs up and reads the mail has an account with a sandbox that pays at once, and is its admin', async () => {
  const [email, slug] = [newAddress(), newSlug()];
  const asked = await signUp({ email, slug, full_name: 'Ada Byron' });
  assert.deepEqual([asked.status, asked.json], [202, { object: 'sign_in_code', valid_for_seconds: 600 }]);
  const answer = await giveCode(url, { email, code: await readCode(inbox, email) });
  assert.equal(answer.status, 200, answer.text);
  const { role, name } = { role: textAt(answer.json, 'role'), name: textAt(answer.json, 'name') };
  assert.deepEqual({ role, name }, { role: 'admin', name: 'Ada Byron' });
  assert.deepEqual(
    [valueAt(answer.json, 'account.slug'), valueAt(answer.json, 'account.status')],
    [slug, 'onboarding'],
  );
  const person = { url, cookie: cookieOf(answer) };
  const paid = await callAs(person, '/v1/payouts?environment=sandbox', {
    method: 'POST',
    body: payoutBody(),
    headers: { 'idempotency-key': randomUUID(), 'kelpie-account': textAt(answer.json, 'account.id') },
  });
  assert.equal(paid.status, 201, paid.text);
  await eventually('the sandbox is connected to the bank', async () => {
    const { json } = await callAs(person, '/v1/account');
    return textAt(json, 'rail') === 'provider_sandbox';
  });
  assert.match(textAt((await callAs(person, '/v1/balance')).json, 'usdc'), /^(10000|9998)\./);
  await assertBooksHold(world.database);
});

test('before the address is proven there is no account, and its code opens one only', async () => {
  const [email, slug] = [newAddress(), newSlug()];
  await signUp({ email, slug });
  const code = await readCode(inbox, email);
  assert.equal(await countPartners(slug), 0);
  assert.equal((await call({ url, key: null }, `/v1/public/partners/${slug}`)).status, 404);
  const answers = await Promise.all([1, 2, 3].map(async () => giveCode(url, { email, code })));
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '401', '401']);
  assert.equal(await countPartners(slug), 1);
});

test('a process that is killed before the account is made leaves a code that still makes it', async () => {
  const [email, slug] = [newAddress(), newSlug()];
  await signUp({ email, slug });
  const code = await readCode(inbox, email);
  const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: 'database.open_session.after*1' });
  await assert.rejects(giveCode(dying.url, { email, code }));
  assert.equal(await countPartners(slug), 0);
  assert.equal((await giveCode(url, { email, code })).status, 200);
  assert.equal(await countPartners(slug), 1);
});

test('a short name is one account’s: taken is said at once, and who proves its address first has it', async () => {
  const [first, second, slug] = [newAddress(), newAddress(), newSlug()];
  await signUp({ email: first, slug });
  await signUp({ email: second, slug });
  const late = { email: first, code: await readCode(inbox, first) };
  assert.equal((await giveCode(url, { email: second, code: await readCode(inbox, second) })).status, 200);
  const refused = await giveCode(url, late);
  assert.deepEqual([refused.status, refused.code, refused.headers.getSetCookie()], [409, 'slug_taken', []]);
  assert.deepEqual((await signUp({ email: newAddress(), slug })).code, 'slug_taken');
  assert.equal(await countPartners(slug), 1);
});

test('who has an account already can open another by its short name, and signs in to either', async () => {
  const [email, one, other] = [newAddress(), newSlug(), newSlug()];
  await signUp({ email, slug: one });
  await giveCode(url, { email, code: await readCode(inbox, email, 1) });
  await signUp({ email, slug: other });
  const opened = await giveCode(url, { email, code: await readCode(inbox, email, 2), slug: other });
  assert.equal(valueAt(opened.json, 'account.slug'), other);
  await askCode(url, email);
  const named = await giveCode(url, { email, code: await readCode(inbox, email, 3), slug: one });
  assert.equal(valueAt(named.json, 'account.slug'), one);
  await askCode(url, email);
  const last = await giveCode(url, { email, code: await readCode(inbox, email, 4) });
  assert.equal(valueAt(last.json, 'account.slug'), one, 'the one that it was at last');
});

test('whoever signs up with the address of a member opens nothing by it, and keeps nobody from their account', async () => {
  const [email, own, foreign] = [newAddress(), newSlug(), newSlug()];
  await signUp({ email, slug: own });
  await giveCode(url, { email, code: await readCode(inbox, email, 1) });
  // As many as an hour has, so that no code to sign in is mailed any more.
  for (let asked = 2; asked <= 5; asked += 1) await signUp({ email, slug: foreign });
  const codes = await Promise.all([2, 3, 4, 5].map(async (number) => readCode(inbox, email, number)));
  await askCode(url, email);
  const answers: ApiAnswer[] = [];
  // The mails may come in any order: one of them has the newest.
  for (const code of codes) answers.push(await giveCode(url, { email, code }));
  const entered = answers.filter(({ status }) => status === 200);
  assert.deepEqual(
    entered.map(({ json }) => valueAt(json, 'account.slug')),
    [own],
  );
  assert.equal(await countPartners(foreign), 0);
});

test('who was only invited somewhere, and signs up, has the account that it signed up for', async () => {
  const [email, slug] = [newAddress(), newSlug()];
  await addMembers(world.database, world.partner.partnerId, [email]);
  await signUp({ email, slug });
  const opened = await giveCode(url, { email, code: await readCode(inbox, email) });
  assert.equal(valueAt(opened.json, 'account.slug'), slug, opened.text);
});

test('what is not right about a sign-up is told', async () => {
  const body = { email: 'no address', slug: 'Capital', name: ' ' };
  const answer = await signUp(body);
  assert.equal(answer.code, 'invalid_request');
  const fields = valueAt(answer.json, 'error.details.fields');
  assert(Array.isArray(fields));
  assert.deepEqual(fields.map((field) => textAt(field, 'path')).toSorted(), ['email', 'name', 'slug']);
});
