import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { findPort } from '@kelpie/dev/free-port.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { createFreezeLinks } from '../../src/access/index.ts';
import { createAddressLinks } from '../../src/partners/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createVersionedDigest } from '../../src/platform/keyed-digest.ts';
import { bankOf, call, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { decidePath, plantKeyCreator, plantRules, requestIn } from '../harness/approvals.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createAuthenticator, type Authenticator } from '../harness/authenticator.ts';
import { challengeIn, challengeOf } from '../harness/passkeys.ts';
import { plantKeyLimit } from '../harness/limited-payouts.ts';
import { mailedCode } from '../harness/mailed-code.ts';
import { numberFirstEvent } from '../harness/numbered-event.ts';
import { plantWebhook, unreachable } from '../harness/planted-webhook.ts';
import { addKey, addLiveEnvironment, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { addMembers, newAddress, plantCodes, setCodes } from '../harness/sign-in.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startWorld } from '../harness/world.ts';
import { openRounds, untilFunded } from '../funding/topping-up.ts';

// Walks openapi.json: every operation is called for every answer that it declares, codes of errors included. `call` holds
// each of them against its schema. An operation or an answer that is added there fails here until it can be provoked.

const liveBank = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
const world = await startWorld({
  settleAfterMs: 60_000,
  env: { KELPIE_LIVE_BANK_URL: liveBank.wireUrl, KELPIE_LIVE_BANK_API_KEY: liveBank.apiKey },
});
const whole: Client = { url: world.api.url, key: world.partner.key };
// Before anything stops the worker: test money needs somewhere to arrive.
await (
  await openRounds(world.database)
)('open-funding');
await untilFunded(world.database, world.partner);
const anAdmin = await signIn(world.database, world.partner, { url: world.api.url });
const invoiceId = await plantInvoice(world.database, world.partner.partnerId);
const aViewer = await signIn(world.database, world.partner, { url: world.api.url, role: 'viewer' });

interface Asking {
  path: string;
  method?: string;
  body?: object | string;
  headers?: Record<string, string>;
  /** Who asks in the place of the client's key. */
  person?: Person | null;
}

async function ask({ url, key }: Client, { path, person, ...asking }: Asking): Promise<ApiAnswer> {
  return person ? callAs({ ...person, url }, path, asking) : call({ url, key }, path, asking);
}

async function anEvent(): Promise<string> {
  await createPayout(whole);
  return numberFirstEvent(world.database, whole);
}

let planted: ReturnType<typeof plantWebhook> | null = null;
async function webhookPath(after: '' | '/deliveries' | '/deliveries/event' = ''): Promise<string> {
  planted ??= plantWebhook(world.database, whole);
  const { id, eventId } = await planted;
  return `/v1/webhooks/${id}${after.replace('event', eventId)}`;
}

/** Of a partner that has room for it. */
async function aboutNewWebhook(asking: Omit<Asking, 'path'>): Promise<Asking> {
  const { person } = await newAdmin();
  const body = unreachable;
  const { id } = await ask(whole, { path: '/v1/webhooks?environment=sandbox', method: 'POST', body, person });
  return { ...asking, path: `/v1/webhooks/${id}?environment=sandbox`, person };
}

const slugOf = ({ partnerId }: { partnerId: string }): string => `p-${partnerId.slice(-12)}`;

/** An admin of a partner's who has nothing but what it began with. */
async function newAdmin(): Promise<{ person: Person; viewer: Person; keyId: string }> {
  const partner = await createSimulatedPartner(world.database);
  const person = await signIn(world.database, partner, { url: whole.url });
  const viewer = await signIn(world.database, partner, { url: whole.url, role: 'viewer' });
  return { person, viewer, keyId: partner.keyId };
}

/** A member that an admin can change. */
async function aboutMember(asking: Omit<Asking, 'path'>): Promise<Asking> {
  const { person, viewer } = await newAdmin();
  return { ...asking, path: `/v1/members/${viewer.email}`, person };
}

interface Requested {
  id: string;
  partner: TestPartner;
  /** Created the key that asks. */
  ada: Person;
  alan: Person;
}

/** A payout that waits for another admin, of a partner of its own at the sandbox's bank. */
async function newRequest(body: object = payoutBody()): Promise<Requested> {
  const partner = await world.addPartner();
  const [ada, alan] = [await signIn(world.database, partner, whole), await signIn(world.database, partner, whole)];
  await plantRules(world.database, partner, { abovePence: 0n });
  await plantKeyCreator(world.database, partner.keyId, ada.email);
  const id = requestIn(await createPayout({ ...whole, key: partner.key }, body));
  return { id, partner, ada, alan };
}

const deciding = (id: string, person: Person, what: 'approve' | 'decline' = 'approve'): Asking => ({
  path: decidePath(id, what, 'sandbox'),
  method: 'POST',
  person,
  ...(what === 'approve' ? { body: {} } : {}),
});

/** Approves a payout that is refused. */
async function approveRefused(body: object, change: (asked: Requested) => Promise<unknown> = async () => null) {
  const asked = await newRequest(body);
  await change(asked);
  return ask(whole, deciding(asked.id, asked.alan));
}

/** Looser rules that an admin has asked for, and another. */
async function newPendingRules(what: 'approve' | 'decline', by: 'ada' | 'alan' = 'ada'): Promise<Asking> {
  const { partner, ...people } = await newRequest();
  await plantRules(world.database, partner, { abovePence: 0n, pendingBy: people[by].email });
  const path = `/v1/approval-rules/${what}?environment=sandbox`;
  return { path, method: 'POST', person: people.alan, ...(what === 'approve' ? { body: {} } : {}) };
}

/** A new live key whose limit is low yet, and an admin. */
async function newLowKey(by: 'another' | 'own' = 'another'): Promise<Asking> {
  const { person, keyId } = await createLiveAdmin();
  await plantKeyLimit(world.database, keyId, { fullLimitAt: new Date(Date.now() + 3_600_000) });
  await plantKeyCreator(world.database, keyId, by === 'own' ? person.email : 'ada@people.test');
  return { path: `/v1/keys/${keyId}/lift-limit`, method: 'POST', body: {}, person };
}

/** How acts that a person confirms are asked for first, without a code. */
const unconfirmed: Record<string, () => Promise<Asking>> = {
  endSession: async () => {
    const { person, viewer } = await newAdmin();
    return { path: `/v1/auth/sessions/${viewer.sessionId}`, method: 'DELETE', body: {}, person };
  },
  updateLimits: async () => ({
    path: '/v1/limits?environment=sandbox',
    method: 'PATCH',
    body: { daily_limit_gbp: '30000.00' },
    person: (await newAdmin()).person,
  }),
  updateApprovalRules: async () => ({
    path: '/v1/approval-rules?environment=sandbox',
    method: 'PATCH',
    body: { above_gbp: '5.00' },
    person: (await newRequest()).alan,
  }),
  approveApprovalRules: async () => newPendingRules('approve'),
  approvePayoutRequest: async () => {
    const { person, key, partner } = await createLiveAdmin();
    await plantRules(world.database, partner, { abovePence: 0n });
    const id = requestIn(await createPayout({ ...whole, key }, payoutBody({ amount_gbp: '5.00' })));
    return { ...deciding(id, person), path: decidePath(id, 'approve', 'live') };
  },
  liftKeyLimit: async () => newLowKey(),
  beginPasskey: async () => ({
    path: '/v1/passkey-options',
    method: 'POST',
    body: {},
    person: (await newAdmin()).person,
  }),
  removePasskey: async () => (await newPasskey()).removing,
  updatePasskeyRule: async () => ({
    path: '/v1/passkey-rule',
    method: 'PATCH',
    body: { required: true },
    person: (await newPasskey()).person,
  }),
  endSessions: async () => ({
    path: '/v1/auth/sessions?of=everyone',
    method: 'DELETE',
    body: {},
    person: (await newAdmin()).person,
  }),
  inviteMember: async () => ({
    path: '/v1/members',
    method: 'POST',
    body: { email: newAddress(), role: 'admin' },
    person: (await newAdmin()).person,
  }),
  changeMember: async () => aboutMember({ method: 'PATCH', body: { role: 'admin' } }),
  removeMember: async () => aboutMember({ method: 'DELETE', body: {} }),
  updateAccount: async () => ({
    path: '/v1/account?environment=sandbox',
    method: 'PATCH',
    body: { contact_email: newAddress() },
    person: (await newAdmin()).person,
  }),
  createKey: async () => ({
    path: '/v1/keys',
    method: 'POST',
    body: { environment: 'live' },
    person: (await createLiveAdmin()).person,
  }),
  rollKey: async () => {
    const { person, keyId } = await createLiveAdmin();
    return { path: `/v1/keys/${keyId}/roll`, method: 'POST', body: {}, person };
  },
};

async function askedUnconfirmed(operationId: string, code?: string): Promise<Asking> {
  const asking = await unconfirmed[operationId]?.();
  assert(asking !== undefined && typeof asking.body === 'object', `say how ${operationId} is asked without a code`);
  return code === undefined ? asking : { ...asking, body: { ...asking.body, confirm_code: code } };
}

/** The same with the code that was emailed for it. */
async function askedConfirmed(operationId: string): Promise<Asking> {
  const asking = await askedUnconfirmed(operationId);
  assert(asking.person && typeof asking.body === 'object');
  assert.equal((await ask(whole, asking)).code, 'confirmation_required');
  const code = await mailedCode(world.database, { to: asking.person.email, kind: 'confirm-act' });
  return { ...asking, body: { ...asking.body, confirm_code: code } };
}

/** Asked by a person who has just signed in. */
async function asPerson(asking: Asking): Promise<Asking> {
  return { ...asking, person: await signIn(world.database, world.partner, whole) };
}

/** What adds a passkey that this authenticator has just made. */
async function addingPasskey(authenticator = createAuthenticator('http://api.kelpie.test')): Promise<Asking> {
  const begin = await askedConfirmed('beginPasskey');
  const credential = authenticator.create(challengeIn(await ask(whole, begin)));
  const { person = null } = begin;
  return { path: '/v1/passkeys', method: 'POST', body: { name: 'Laptop', credential }, person };
}

/** An admin, the only member of a partner, who has a passkey. */
async function newPasskey(): Promise<{ person: Person; authenticator: Authenticator; path: string; removing: Asking }> {
  const authenticator = createAuthenticator('http://api.kelpie.test');
  const adding = await addingPasskey(authenticator);
  const { id } = await ask(whole, adding);
  assert(adding.person && id !== '');
  const { person } = adding;
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query('delete from kelpie.members where partner_id = $1 and email <> $2', [person.partnerId, person.email]),
  );
  const path = `/v1/passkeys/${id}`;
  return { person, authenticator, path, removing: { path, method: 'DELETE', body: {}, person } };
}

/** A removal that a passkey has yet to prove, and what proves it. */
async function provingPasskey(): Promise<{ removing: Asking; proving: Asking }> {
  const { person, authenticator, removing } = await newPasskey();
  const body = authenticator.get(challengeOf(await ask(whole, removing)));
  return { removing, proving: { path: '/v1/passkey-proofs', method: 'POST', body, person } };
}

/** A session of theirs in which they have used none yet. */
async function beginningStep(): Promise<{ asking: Asking; authenticator: Authenticator }> {
  const { person, authenticator } = await newPasskey();
  const waiting = await signIn(world.database, person, { ...whole, email: person.email });
  return { asking: { path: '/v1/auth/passkey/options', method: 'POST', person: waiting }, authenticator };
}

/** How each sign-in is asked that takes a passkey then. */
const takesPasskey: Record<string, () => Promise<Asking>> = {
  signIn: async () => {
    const { email } = (await newPasskey()).person;
    const asked = { email, code: '123456' };
    await plantCodes(world.database, [asked]);
    return { path: '/v1/auth/session', method: 'POST', body: asked };
  },
  switchAccount: async () => {
    const there = (await newPasskey()).person;
    const person = await signIn(world.database, world.partner, { ...whole, email: there.email });
    return { path: '/v1/auth/session', method: 'PATCH', body: { slug: slugOf(there) }, person };
  },
};

async function requirePasskeys({ partnerId }: Person): Promise<void> {
  await asAdmin(world.database.superuserUrl, async (admin) => {
    await admin.query('update kelpie.partners set require_passkeys = true where id = $1', [partnerId]);
    await admin.query(`update kelpie.members set created_at = now() - interval '73 hours' where partner_id = $1`, [
      partnerId,
    ]);
  });
}

async function signInAsking(): Promise<Asking> {
  const asked = { email: newAddress(), code: '123456' };
  await addMembers(world.database, world.partner.partnerId, [asked.email]);
  await plantCodes(world.database, [asked]);
  return { path: '/v1/auth/session', method: 'POST', body: asked };
}

const signUpAsking = (slug: string, email = newAddress()): Asking => ({
  path: '/v1/signup',
  method: 'POST',
  body: { email, name: 'Example Ltd', slug },
});

const freezeLinks = createFreezeLinks(
  createVersionedDigest(new Map([[1, Buffer.from(testSecrets.KELPIE_INDEX_KEY, 'hex')]]), 'freeze links'),
  'https://dashboard.test',
);

/** By the link of an email to this person. */
function freezing({ partnerId, email }: Pick<Person, 'partnerId' | 'email'>): Asking {
  const [, token = ''] = freezeLinks.linkFor({ partnerId, email, mailId: newId(systemClock) }).split('#');
  return { path: '/v1/auth/freeze', method: 'POST', body: { token } };
}

const addressLinks = createAddressLinks(
  createVersionedDigest(new Map([[1, Buffer.from(testSecrets.KELPIE_INDEX_KEY, 'hex')]]), 'address links'),
  'https://dashboard.test',
);

/** By the link of an email to the contact address. */
async function confirmingAddress(): Promise<Asking> {
  const { partnerId } = await createSimulatedPartner(world.database);
  const email = newAddress();
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query('update kelpie.partners set contact_email = $2 where id = $1', [partnerId, email]),
  );
  const [, token = ''] = addressLinks.linkFor({ partnerId, email, mailId: newId(systemClock) }).split('#');
  return { path: '/v1/auth/confirm-address', method: 'POST', body: { token } };
}

/** What a person changes under an id. */
const namesEnvironment = new Set(['deleteWebhook', 'approvePayoutRequest', 'declinePayoutRequest']);

const newSlug = (): string => `s-${randomUUID()}`;

const creation = (body: object = payoutBody(), key: string = randomUUID()): Asking => ({
  path: '/v1/payouts',
  method: 'POST',
  body,
  headers: { 'idempotency-key': key },
});

/** A payout at the bank that it can still stop, or can not. */
async function makePayout(state: 'awaiting_funds' | 'in_review'): Promise<string> {
  const { id } = await createPayout(whole);
  const { rows } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [id]),
  );
  await world.bank.control(`/transfers/${rows[0]?.payment}/hold`, { state });
  return id;
}

/** A step of a payout that is on its way. */
async function stepping(name: string, body?: object, of: Client = whole): Promise<Asking> {
  const { id } = await createPayout(of);
  return { path: `/v1/sandbox/payouts/${id}/${name}`, method: 'POST', ...(body === undefined ? {} : { body }) };
}

/** How each operation is asked so that all goes well. */
const well: Record<string, () => Promise<Asking>> = {
  getRoot: async () => ({ path: '/' }),
  getVersion: async () => ({ path: '/v1' }),
  getPublicPartner: async () => ({ path: `/v1/public/partners/${slugOf(world.partner)}` }),
  requestCode: async () => ({ path: '/v1/auth/code', method: 'POST', body: { email: newAddress() } }),
  signUp: async () => signUpAsking(newSlug()),
  signIn: signInAsking,
  getSession: async () => asPerson({ path: '/v1/auth/session' }),
  listPasskeys: async () => asPerson({ path: '/v1/passkeys' }),
  beginPasskey: async () => askedConfirmed('beginPasskey'),
  addPasskey: async () => addingPasskey(),
  renamePasskey: async () => {
    const { path, person } = await newPasskey();
    return { path, method: 'PATCH', body: { name: 'Phone' }, person };
  },
  removePasskey: async () => {
    const { removing, proving } = await provingPasskey();
    await ask(whole, proving);
    return removing;
  },
  proveByPasskey: async () => (await provingPasskey()).proving,
  getPasskeyRule: async () => asPerson({ path: '/v1/passkey-rule' }),
  updatePasskeyRule: async () => ({
    path: '/v1/passkey-rule',
    method: 'PATCH',
    body: { required: false },
    person: (await newAdmin()).person,
  }),
  beginPasskeyStep: async () => (await beginningStep()).asking,
  provePasskeyStep: async () => {
    const { asking, authenticator } = await beginningStep();
    const use = authenticator.get(challengeIn(await ask(whole, asking)));
    return { ...asking, path: '/v1/auth/passkey', body: { use } };
  },
  signOut: async () => asPerson({ path: '/v1/auth/session', method: 'DELETE' }),
  listOwnAccounts: async () => asPerson({ path: '/v1/auth/accounts' }),
  switchAccount: async () =>
    asPerson({ path: '/v1/auth/session', method: 'PATCH', body: { slug: slugOf(world.partner) } }),
  freezeAccount: async () => freezing((await newAdmin()).person),
  confirmAddress: confirmingAddress,
  listSessions: async () => asPerson({ path: '/v1/auth/sessions' }),
  endSession: async () => {
    const { person } = await newAdmin();
    return { path: `/v1/auth/sessions/${person.sessionId}`, method: 'DELETE', person };
  },
  endSessions: async () => asPerson({ path: '/v1/auth/sessions?of=me', method: 'DELETE' }),
  getAccount: async () => ({ path: '/v1/account' }),
  updateAccount: async () => ({
    path: '/v1/account?environment=sandbox',
    method: 'PATCH',
    body: { brand_color: '#0f6e6e' },
    person: (await newAdmin()).person,
  }),
  getNotifications: async () => asPerson({ path: '/v1/members/me/notifications' }),
  updateNotifications: async () =>
    asPerson({ path: '/v1/members/me/notifications', method: 'PATCH', body: { live_payout_problems: false } }),
  listMembers: async () => ({ path: '/v1/members', person: (await newAdmin()).viewer }),
  inviteMember: async () => ({
    path: '/v1/members',
    method: 'POST',
    body: { email: 'ada@invited.test', role: 'viewer' },
    person: (await newAdmin()).person,
  }),
  changeMember: async () => askedConfirmed('changeMember'),
  removeMember: async () => askedConfirmed('removeMember'),
  createKey: async () => ({
    path: '/v1/keys',
    method: 'POST',
    body: { environment: 'sandbox' },
    person: (await newAdmin()).person,
  }),
  rollKey: async () => {
    const { person, keyId } = await newAdmin();
    return { path: `/v1/keys/${keyId}/roll`, method: 'POST', body: { overlap_hours: 1 }, person };
  },
  revokeKey: async () => {
    const { person, keyId } = await newAdmin();
    return { path: `/v1/keys/${keyId}`, method: 'DELETE', person };
  },
  getCompliance: async () => ({ path: '/v1/compliance' }),
  getLimits: async () => ({ path: '/v1/limits' }),
  updateLimits: async () => ({
    path: '/v1/limits?environment=sandbox',
    method: 'PATCH',
    body: {},
    person: (await newAdmin()).person,
  }),
  liftKeyLimit: async () => askedConfirmed('liftKeyLimit'),
  listPayoutRequests: async () => ({ path: '/v1/payout-requests?limit=2' }),
  getPayoutRequest: async () => {
    const { id, alan } = await newRequest();
    return { path: `/v1/payout-requests/${id}?environment=sandbox`, person: alan };
  },
  approvePayoutRequest: async () => {
    const { id, alan } = await newRequest();
    return deciding(id, alan);
  },
  declinePayoutRequest: async () => {
    const { id, alan } = await newRequest();
    return deciding(id, alan, 'decline');
  },
  getApprovalRules: async () => ({ path: '/v1/approval-rules' }),
  updateApprovalRules: async () => ({
    path: '/v1/approval-rules?environment=sandbox',
    method: 'PATCH',
    body: {},
    person: (await newAdmin()).person,
  }),
  approveApprovalRules: async () => askedConfirmed('approveApprovalRules'),
  declineApprovalRules: async () => newPendingRules('decline'),
  startVerification: async () => ({ path: '/v1/compliance/verification', method: 'POST', person: anAdmin }),
  getBalance: async () => ({ path: '/v1/balance' }),
  createQuote: async () => ({ path: '/v1/quotes', method: 'POST', body: { amount_gbp: '5.00' } }),
  createPayout: async () => creation(),
  listPayouts: async () => ({ path: '/v1/payouts?limit=2' }),
  getPayout: async () => ({ path: `/v1/payouts/${(await createPayout(whole)).id}` }),
  getPayoutHistory: async () => ({ path: `/v1/payouts/${(await createPayout(whole)).id}/history` }),
  getPayoutRecipient: async () => ({
    path: `/v1/payouts/${(await createPayout(whole)).id}/recipient`,
    person: anAdmin,
  }),
  exportPayouts: async () => ({ path: '/v1/payouts.csv' }),
  cancelPayout: async () => ({ path: `/v1/payouts/${await makePayout('awaiting_funds')}/cancel`, method: 'POST' }),
  getFunding: async () => ({ path: '/v1/funding' }),
  listEvents: async () => ({ path: '/v1/events?limit=2' }),
  getEvent: async () => ({ path: `/v1/events/${await anEvent()}` }),
  listWebhooks: async () => ({ path: '/v1/webhooks' }),
  createWebhook: async () => ({
    path: '/v1/webhooks?environment=sandbox',
    method: 'POST',
    body: unreachable,
    person: (await newAdmin()).person,
  }),
  getWebhook: async () => ({ path: await webhookPath() }),
  updateWebhook: async () => ({ path: await webhookPath(), method: 'PATCH', body: { description: 'Orders' } }),
  deleteWebhook: async () => aboutNewWebhook({ method: 'DELETE' }),
  rollWebhookSecret: async () => ({ path: `${await webhookPath()}/roll`, method: 'POST', body: { overlap_hours: 1 } }),
  testWebhook: async () => ({ path: `${await webhookPath()}/test`, method: 'POST' }),
  redeliverEvents: async () => ({ path: `${await webhookPath()}/redeliver`, method: 'POST', body: { after: 0 } }),
  listDeliveries: async () => ({ path: `${await webhookPath('/deliveries')}?limit=2` }),
  getDelivery: async () => ({ path: await webhookPath('/deliveries/event') }),
  redeliverEvent: async () => ({ path: `${await webhookPath('/deliveries/event')}/redeliver`, method: 'POST' }),
  listDeposits: async () => ({ path: '/v1/deposits?limit=2' }),
  listRecipients: async () => ({ path: '/v1/recipients' }),
  getUsage: async () => ({ path: '/v1/usage' }),
  listUsageDays: async () => ({ path: '/v1/usage/days' }),
  listInvoices: async () => ({ path: '/v1/invoices' }),
  getStatement: async () => ({ path: '/v1/statement?month=2026-11&limit=2' }),
  getInvoicePdf: async () => ({ path: `/v1/invoices/${invoiceId}.pdf` }),
  getInvoice: async () => ({ path: `/v1/invoices/${invoiceId}` }),
  listInvoiceItems: async () => ({ path: `/v1/invoices/${invoiceId}/items?limit=2` }),
  listKeys: async () => ({ path: '/v1/keys' }),
  listActivity: async () => ({ path: '/v1/activity' }),
  listSecurityEvents: async () => ({ path: '/v1/security-events?limit=2' }),
  advanceSandboxPayout: async () => stepping('advance'),
  holdSandboxPayout: async () => stepping('hold'),
  failSandboxPayout: async () => stepping('fail', { failure_code: 'account_closed' }),
  returnSandboxPayout: async () => stepping('return', { failure_code: 'recalled' }),
  createSandboxDeposit: async () => ({ path: '/v1/sandbox/deposits', method: 'POST', body: { amount_gbp: '5.00' } }),
  setSandboxBank: async () => ({ path: '/v1/sandbox/bank', method: 'POST', body: { answers: 'normal' } }),
};

async function askedWell(operationId: string): Promise<Asking> {
  const asking = await well[operationId]?.();
  assert(asking !== undefined, `say how ${operationId} is asked so that all goes well`);
  return asking;
}

async function askWell(operationId: string, client: Client, change: Partial<Asking> = {}): Promise<ApiAnswer> {
  const asking = await askedWell(operationId);
  return ask(client, { ...asking, ...change, headers: { ...asking.headers, ...change.headers } });
}

/** The same by a person, about an environment. */
async function askWellAs(
  { id }: Operation,
  person: Person,
  { environment, ...change }: Partial<Asking> & { environment: string },
): Promise<ApiAnswer> {
  const asking = await askedWell(id);
  const [address = '', query = ''] = asking.path.split('?', 2);
  const named = new URLSearchParams(query);
  named.set('environment', environment);
  const path = `${address}?${named.toString()}`;
  const headers = { ...asking.headers, ...change.headers };
  return ask({ ...whole, url: person.url }, { ...asking, ...change, person, path, headers });
}

// Apis to which the same thing happens whatever is asked.

async function startLimited(): Promise<Client> {
  const limits = { KELPIE_REQUESTS_PER_SECOND: '1', KELPIE_REQUESTS_BURST: '1', KELPIE_OPEN_REQUESTS_PER_MINUTE: '1' };
  return { ...whole, url: (await world.addApi(limits)).url };
}

/** Its database answers, and with an error that we did not foresee. */
async function startBroken(): Promise<Client> {
  const database = await createTestDatabase();
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(
      `drop function kelpie.identify_api_key(bytea, timestamptz); drop function kelpie.find_public_partner(text);
       drop routine kelpie.find_session; drop routine kelpie.find_unproven_session;
       drop type kelpie.new_session cascade; alter table kelpie.sign_in_codes rename to gone`,
    ),
  );
  return { ...whole, url: (await startApi({ database })).url };
}

async function startWithoutDatabase(): Promise<Client> {
  const serviceUrl = `postgres://kelpie_service@127.0.0.1:${await findPort()}/none`;
  return { ...whole, url: (await startApi({ database: { serviceUrl } })).url };
}

async function startWithoutRate(): Promise<Client> {
  const env = { KELPIE_SANDBOX_BANK_URL: `http://127.0.0.1:${await findPort()}/v0` };
  return { ...whole, url: (await world.addApi(env)).url };
}

async function createSuspended(): Promise<Client & { admin: Person; viewer: Person; keyId: string }> {
  const partner = await createSimulatedPartner(world.database);
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`update kelpie.partners set status = 'suspended' where id = $1`, [partner.partnerId]),
  );
  const admin = await signIn(world.database, partner, { url: whole.url });
  const viewer = await signIn(world.database, partner, { url: whole.url, role: 'viewer' });
  return { url: whole.url, key: partner.key, admin, viewer, keyId: partner.keyId };
}

/** A person who can pay with real money. */
async function createLiveAdmin(): Promise<{ person: Person; keyId: string; key: string; partner: TestPartner }> {
  const partner = await createSimulatedPartner(world.database);
  const live = await addLiveEnvironment(world.database, liveBank, partner);
  const { keyId, key } = live;
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`update kelpie.partners set verification_status = 'approved' where id = $1`, [partner.partnerId]),
  );
  return { person: await signIn(world.database, partner, { url: whole.url }), keyId, key, partner: live };
}

const [limited, broken, withoutDatabase, withoutRate, suspended, liveAdmin] = await Promise.all([
  startLimited(),
  startBroken(),
  startWithoutDatabase(),
  startWithoutRate(),
  createSuspended(),
  createLiveAdmin(),
]);
async function askUntilLimited(operationId: string): Promise<ApiAnswer> {
  const asking = await askedWell(operationId);
  return eventually('it is turned away', async () => {
    // Two at once: one after the other, a slow answer lets the limit recover.
    const answers = await Promise.all([ask(limited, asking), ask(limited, asking)]);
    return answers.find(({ status }) => status === 429) ?? false;
  });
}

async function untilRefused(asking: Asking): Promise<ApiAnswer> {
  return eventually('no more are made', async () => {
    const answer = await ask(whole, asking);
    return answer.status !== 201 && answer;
  });
}

/** How an error is provoked that many operations have. */
const provoke: Record<string, (operation: Operation) => Promise<ApiAnswer>> = {
  unauthorized: async ({ id }) =>
    askWell(id, { ...whole, key: `kp_sandbox_${'0'.repeat(48)}` }, { headers: { cookie: 'none' } }),
  session_required: async ({ id }) => askWell(id, whole, { person: null }),
  api_key_required: async (operation) =>
    operation.id === 'freezeAccount'
      ? ask(whole, freezing({ ...anAdmin, email: 'nobody@people.test' }))
      : operation.id === 'endSessions'
        ? ask(whole, { path: '/v1/auth/sessions?of=everyone', method: 'DELETE', person: aViewer })
        : askWellAs(operation, aViewer, { environment: 'sandbox' }),
  cross_site_request: async (operation) =>
    askWellAs(operation, anAdmin, { environment: 'sandbox', headers: { 'sec-fetch-site': 'cross-site' } }),
  session_changed: async (operation) =>
    askWellAs(operation, anAdmin, { environment: 'sandbox', headers: { 'kelpie-account': randomUUID() } }),
  verification_required: async (operation) =>
    operation.id === 'createKey'
      ? askWell(operation.id, whole, { body: { environment: 'live' } })
      : askWellAs(operation, anAdmin, { environment: 'live' }),
  last_admin: async ({ id }) => {
    const asking = await askedWell(id);
    const body = id === 'removeMember' ? {} : { role: 'viewer' };
    return ask(whole, { ...asking, path: `/v1/members/${asking.person?.email}`, body });
  },
  webhook_limit_reached: async ({ id }) => untilRefused(await askedWell(id)),
  key_limit_reached: async ({ id }) => untilRefused(await askedWell(id)),
  invalid_code: async ({ id }) => {
    if (id.endsWith('PasskeyStep')) return askWell(id, whole, { person: null });
    const hasToken = id === 'freezeAccount' || id === 'confirmAddress';
    const body = hasToken ? { token: 'none' } : { email: newAddress(), code: '123456' };
    return askWell(id, whole, { body });
  },
  invalid_passkey: async ({ id }) => {
    const { body, ...asking } = await askedWell(id);
    const other = JSON.stringify(body).replace(/"client_data":"[^"]*"/, '"client_data":"AAAA"');
    return ask(whole, { ...asking, body: other });
  },
  passkey_required: async ({ id }) => {
    if (id === 'updatePasskeyRule') return askWell(id, whole, { body: { required: true } });
    if (id === 'removePasskey') {
      const { person, removing } = await newPasskey();
      await requirePasskeys(person);
      return ask(whole, removing);
    }
    const { person } = await newAdmin();
    await requirePasskeys(person);
    return askWell(id, whole, { person });
  },
  second_admin_required: async ({ id }) => {
    if (id === 'approveApprovalRules') return ask(whole, await newPendingRules('approve', 'alan'));
    if (id === 'liftKeyLimit') return ask(whole, await newLowKey('own'));
    if (id === 'updateApprovalRules') return askWell(id, whole, { body: { new_payee: true } });
    const asked = await newRequest();
    return ask(whole, deciding(asked.id, asked.ada));
  },
  approval_required: async ({ id }) => {
    const { key, keyId } = await addKey(world.database, world.partner);
    await plantRules(world.database, world.partner, { keyIds: [keyId] });
    return askWell(id, { ...whole, key });
  },
  payout_request_closed: async ({ id }) => {
    const { partner, ...asked } = await newRequest();
    if (id === 'createPayout') {
      const key = randomUUID();
      const client = { ...whole, key: partner.key };
      const refused = await ask(client, creation(payoutBody(), key));
      await ask(whole, deciding(requestIn(refused), asked.alan, 'decline'));
      return ask(client, creation(payoutBody(), key));
    }
    const [first, then] =
      id === 'approvePayoutRequest' ? (['decline', 'approve'] as const) : (['approve', 'decline'] as const);
    await ask(whole, deciding(asked.id, asked.alan, first));
    return ask(whole, deciding(asked.id, asked.alan, then));
  },
  payout_request_void: async () =>
    approveRefused(payoutBody(), async ({ partner }) =>
      asAdmin(world.database.superuserUrl, async (admin) =>
        admin.query('update kelpie.api_keys set revoked_at = now() where id = $1', [partner.keyId]),
      ),
    ),
  slug_taken: async ({ id }) => {
    const slug = newSlug();
    const people = [newAddress(), newAddress()].map((email) => ({ email, code: '123456' }));
    for (const { email } of people) await ask(whole, signUpAsking(slug, email));
    await setCodes(world.database, people);
    const answers: ApiAnswer[] = [];
    for (const body of people) answers.push(await ask(whole, { path: '/v1/auth/session', method: 'POST', body }));
    const late = answers.at(-1);
    assert(late !== undefined);
    return id === 'signIn' ? late : ask(whole, signUpAsking(slug));
  },
  proof_of_work_required: async () => {
    const { url } = await world.addApi({ KELPIE_SIGN_UPS_PER_HOUR: '1' });
    return eventually('the budget is used up', async () => {
      const answer = await ask({ ...whole, url }, signUpAsking(newSlug()));
      return answer.status === 422 && answer;
    });
  },
  rate_limited: async ({ id }) => askUntilLimited(id),
  internal_error: async ({ id }) => askWell(id, broken),
  unavailable: async ({ id }) => askWell(id, withoutDatabase),
  invalid_json: async ({ id }) => askWell(id, whole, { body: '{"amount_gbp": ' }),
  payload_too_large: async ({ id }) => askWell(id, whole, { body: { reference: 'x'.repeat(70_000) } }),
  unsupported_media_type: async ({ id }) =>
    askWell(id, whole, { body: 'amount_gbp=1.00', headers: { 'content-type': 'text/plain' } }),
  not_found: async ({ id, path }) => {
    if (id === 'switchAccount') return askWell(id, whole, { body: { slug: 'no-such-account' } });
    // Where nothing waits.
    if (id === 'approveApprovalRules' || id === 'declineApprovalRules') {
      const { person } = await newAdmin();
      return ask(whole, { path: `${path}?environment=sandbox`, method: 'POST', body: {}, person });
    }
    const names = {
      '{id}': randomUUID(),
      '{event_id}': randomUUID(),
      '{slug}': 'no-such-partner',
      '{email}': 'nobody@example.test',
    };
    const nowhere = Object.entries(names).reduce((address, [name, value]) => address.replace(name, value), path);
    // A person has to say which environment a change is for.
    return askWell(id, whole, { path: namesEnvironment.has(id) ? `${nowhere}?environment=sandbox` : nowhere });
  },
  partner_not_active: async ({ id, access }) => {
    if (id === 'approvePayoutRequest')
      return approveRefused(payoutBody(), async ({ partner }) =>
        asAdmin(world.database.superuserUrl, async (admin) =>
          admin.query(`update kelpie.partners set status = 'suspended' where id = $1`, [partner.partnerId]),
        ),
      );
    if (access !== 'admins') return askWell(id, suspended);
    const paths: Record<string, string> = {
      changeMember: `/v1/members/${suspended.viewer.email}`,
      rollKey: `/v1/keys/${suspended.keyId}/roll`,
    };
    const asking = await askedWell(id);
    return ask(whole, { ...asking, path: paths[id] ?? asking.path, person: suspended.admin });
  },
  corridor_not_enabled: async ({ id }) =>
    askWell(id, whole, {
      body: id === 'createQuote' ? { amount_gbp: '5.00', country: 'FR' } : payoutBody({ country: 'FR' }),
    }),
  invalid_amount: async ({ id }) =>
    askWell(id, whole, { body: id === 'createQuote' ? { amount_gbp: '0.99' } : payoutBody({ amount_gbp: '0.99' }) }),
  // Where there is no body to be wrong, a person can still name an environment that is none.
  invalid_request: async (operation) => {
    const { body } = await askedWell(operation.id);
    // What is the partner's over both environments asks for none: but it takes a query.
    if (operation.id === 'listInvoiceItems')
      return askWell(operation.id, whole, { path: `/v1/invoices/${invoiceId}/items?limit=0` });
    if (operation.access === 'anybody' && body === undefined)
      return askWell(operation.id, whole, { path: `${(await askedWell(operation.id)).path}?limt=3` });
    return typeof body === 'object'
      ? askWell(operation.id, whole, { body: { ...body, more: 1 } })
      : askWellAs(operation, anAdmin, { environment: 'nowhere' });
  },
  confirmation_required: async (operation) =>
    operation.id in unconfirmed
      ? ask(whole, await askedUnconfirmed(operation.id))
      : askWellAs(operation, liveAdmin.person, { environment: 'live', body: payoutBody({ amount_gbp: '5.00' }) }),
  invalid_confirm_code: async (operation) =>
    operation.id in unconfirmed
      ? ask(whole, await askedUnconfirmed(operation.id, '000000'))
      : askWellAs(operation, liveAdmin.person, {
          environment: 'live',
          body: payoutBody({ amount_gbp: '5.00', confirm_code: '000000' }),
        }),
  rate_unavailable: async ({ id }) => askWell(id, withoutRate),
  balance_unavailable: async ({ id }) => askWell(id, withoutRate),
  payout_not_created: async ({ id }) => askWell(id, withoutRate),
  idempotency_key_required: async ({ id }) => askWell(id, whole, { headers: { 'idempotency-key': 'short' } }),
  insufficient_funds: async ({ id }) =>
    id === 'approvePayoutRequest'
      ? approveRefused(payoutBody({ amount_gbp: '20000.00' }))
      : askWell(id, whole, { body: payoutBody({ amount_gbp: '20000.00' }) }),
  limit_exceeded: async ({ id }) => {
    if (id === 'approvePayoutRequest')
      return approveRefused(payoutBody({ amount_gbp: '5.01' }), async ({ partner }) =>
        plantKeyLimit(world.database, partner.keyId, { daily: '5.00' }),
      );
    const { key, keyId } = await addKey(world.database, world.partner);
    await plantKeyLimit(world.database, keyId, { daily: '5.00' });
    return askWell(id, { ...whole, key }, { body: payoutBody({ amount_gbp: '5.01' }) });
  },
  invalid_recipient: async ({ id }) => askWell(id, whole, { body: payoutBody({}, bankOf('1234567')) }),
  idempotency_key_reused: async () => {
    const key = randomUUID();
    await ask(whole, creation(payoutBody(), key));
    return ask(whole, creation(payoutBody({ amount_gbp: '2.00' }), key));
  },
  recipient_account_rejected: async ({ id }) => {
    const fault = { on: 'external_account.create', kind: 'reject', times: 1, code: 'invalid_account_number' };
    if (id === 'approvePayoutRequest')
      return approveRefused(payoutBody({}, bankOf('66667777')), async () => world.bank.control('/faults', fault));
    await world.bank.control('/faults', fault);
    return ask(whole, creation(payoutBody({}, bankOf('66667777'))));
  },
  idempotency_key_in_use: async ({ id }) => {
    // One that is killed while it asks the bank leaves a payout of which nobody knows yet what became.
    const key = randomUUID();
    const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: 'bank.send_payment.before*1' });
    await world.worker?.stop();
    await assert.rejects(ask({ ...whole, url: dying.url }, creation(payoutBody(), key)));
    return ask(
      whole,
      id === 'listPayouts' ? { path: `/v1/payouts?idempotency_key=${key}` } : creation(payoutBody(), key),
    );
  },
  sandbox_only: async ({ id }) => askWell(id, { ...whole, key: liveAdmin.key }),
  sandbox_step_refused: async ({ id }) => {
    const asking = await askedWell(id);
    await ask(whole, { path: asking.path.replace(/\w+$/, 'fail'), method: 'POST' });
    return ask(whole, asking);
  },
  sandbox_control_unavailable: async ({ id }) => {
    const simulated = { ...whole, key: (await createSimulatedPartner(world.database)).key };
    const asking = await askedWell(id);
    if (!asking.path.includes('/payouts/')) return ask(simulated, asking);
    return ask(simulated, await stepping(asking.path.split('/').at(-1) ?? '', undefined, simulated));
  },
  payout_not_cancellable: async () =>
    ask(whole, { path: `/v1/payouts/${await makePayout('in_review')}/cancel`, method: 'POST' }),
};

test('the description has operations', () => {
  assert(operations.length >= 21, `${operations.length}`);
});

for (const operation of operations) {
  for (const { status, code } of operation.codes) {
    test(`${operation.id} answers ${status} ${code}, as it declares`, async () => {
      const answer = await provoke[code]?.(operation);
      assert(answer !== undefined, `say how ${code} is provoked`);
      assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
    });
  }
  for (const status of operation.statuses.filter((one) => one < 400)) {
    test(`${operation.id} answers ${status}, as it declares`, async () => {
      const key = randomUUID();
      const step = status === 202 ? takesPasskey[operation.id] : undefined;
      const headers = { 'idempotency-key': key };
      const first =
        step === undefined ? await askWell(operation.id, whole, { headers }) : await ask(whole, await step());
      const isReplay = operation.id === 'createPayout' && status === 200;
      const answer = isReplay ? await ask(whole, creation(payoutBody(), key)) : first;
      assert.equal(answer.status, status, answer.text);
    });
  }
}

test('every error that an operation declares has its codes, and nothing but those', () => {
  for (const { id, statuses, codes } of operations) {
    assert.deepEqual(
      new Set(codes.map(({ status }) => status)),
      new Set(statuses.filter((status) => status >= 400)),
      id,
    );
  }
});
