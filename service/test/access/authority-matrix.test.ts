import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { decidePath, plantKeyCreator, plantRules, requestIn } from '../harness/approvals.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { plantKeyLimit } from '../harness/limited-payouts.ts';
import { addKey, addLiveEnvironment, createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

// Everything that changes something × whether a person confirms it by a code × whether a limit holds it. From openapi.json: a
// new operation has to say here which.

const database = await createTestDatabase();
const bank = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
const { url } = await startApi({
  database,
  env: { KELPIE_LIVE_BANK_URL: bank.wireUrl, KELPIE_LIVE_BANK_API_KEY: bank.apiKey },
});
const partner = await createSimulatedPartner(database);
const live = await addLiveEnvironment(database, bank, partner);
const victim = await signIn(database, partner, { url });
await asAdmin(database.superuserUrl, async (client) =>
  client.query(`update kelpie.partners set verification_status = 'approved' where id = $1`, [partner.partnerId]),
);
// What another admin has to approve.
const lowKey = await addKey(database, live);
await plantKeyCreator(database, lowKey.keyId, victim.email);
await plantKeyLimit(database, lowKey.keyId, { fullLimitAt: new Date(Date.now() + 3_600_000) });
await plantRules(database, live, { abovePence: 100_000n });
const requestId = requestIn(await createPayout({ url, key: live.key }, payoutBody({ amount_gbp: '1000.01' })));
await plantRules(database, partner, { newPayee: true, pendingBy: victim.email });
const passkeyId = randomUUID();
const memberPath = `/v1/members/${encodeURIComponent(victim.email)}`;

interface Act {
  path: string;
  body?: Record<string, unknown>;
  /** Whether the thief's session is of a person who has this passkey. */
  passkeyId?: string;
}

/** An admin's request for each operation that asks for a code: of its kinds, one that gives authority or takes it. */
const confirmed: Readonly<Record<string, readonly Act[]>> = {
  createPayout: [{ path: '/v1/payouts?environment=live', body: payoutBody({ amount_gbp: '10.00' }) }],
  createKey: [
    { path: '/v1/keys', body: { environment: 'live' } },
    { path: '/v1/keys', body: { environment: 'live', scope: 'read' } },
  ],
  rollKey: [{ path: `/v1/keys/${live.keyId}/roll`, body: {} }],
  inviteMember: [{ path: '/v1/members', body: { email: 'mallory@evil.example', role: 'admin' } }],
  changeMember: [{ path: memberPath, body: { role: 'viewer' } }],
  removeMember: [{ path: memberPath }],
  updateAccount: [
    { path: '/v1/account?environment=live', body: { contact_email: 'mallory@evil.example' } },
    { path: '/v1/account?environment=live', body: { billing_email: 'mallory@evil.example' } },
  ],
  updateLimits: [{ path: '/v1/limits?environment=live', body: { daily_limit_gbp: '40000.00' } }],
  updateApprovalRules: [{ path: '/v1/approval-rules?environment=live', body: { new_payee: true } }],
  approveApprovalRules: [{ path: '/v1/approval-rules/approve?environment=sandbox' }],
  approvePayoutRequest: [{ path: decidePath(requestId, 'approve', 'live') }],
  liftKeyLimit: [{ path: `/v1/keys/${lowKey.keyId}/lift-limit` }],
  endSession: [{ path: `/v1/auth/sessions/${victim.sessionId}` }],
  beginPasskey: [{ path: '/v1/passkey-options' }],
  removePasskey: [{ path: `/v1/passkeys/${passkeyId}`, passkeyId }],
  updatePasskeyRule: [{ path: '/v1/passkey-rule', body: { required: true }, passkeyId: randomUUID() }],
  endSessions: [{ path: '/v1/auth/sessions?of=everyone' }],
};

/** Operations that ask for no code, and why. */
const unconfirmed: Readonly<Record<string, string>> = {
  signOut: 'ends only the own session',
  addPasskey: 'takes the challenge that beginPasskey gave for a code or a passkey',
  renamePasskey: 'changes only what its person calls it',
  proveByPasskey: 'is how a passkey confirms',
  switchAccount: 'gives no more than the sign-in did',
  updateNotifications: 'changes only the own emails about payouts',
  startVerification: 'the bank verifies the business',
  cancelPayout: 'no money leaves by it',
  declinePayoutRequest: 'no money leaves by it',
  declineApprovalRules: 'the rules stay as they are',
  revokeKey: 'stopping a stolen key must not wait for a code',
  createWebhook: 'gives no authority: it sends what the caller can read, and every admin is emailed about a live one',
  updateWebhook: 'as createWebhook: every admin is emailed about a new address in live',
  deleteWebhook: 'stopping one must not wait for a code, and events stay readable',
  rollWebhookSecret: 'a secret that has leaked must not wait for a code',
  redeliverEvent: 'sends again what was sent',
  redeliverEvents: 'sends again what was sent',
  testWebhook: 'sends a test',
  advanceSandboxPayout: 'there is no real money in sandbox',
  holdSandboxPayout: 'there is no real money in sandbox',
  failSandboxPayout: 'there is no real money in sandbox',
  returnSandboxPayout: 'there is no real money in sandbox',
  createSandboxDeposit: 'there is no real money in sandbox',
  setSandboxBank: 'there is no real money in sandbox',
};

const looks = new Set(['GET', 'HEAD']);
const writes = operations.filter(
  ({ method, access }) => !looks.has(method) && access !== 'anybody' && access !== 'readers',
);

test('every operation that changes something asks for a code, or says here why it does not', () => {
  const known = [...Object.keys(confirmed), ...Object.keys(unconfirmed)];
  assert.deepEqual(writes.map(({ id }) => id).toSorted(), known.toSorted());
  const declared = operations.filter(({ codes }) => codes.some(({ code }) => code === 'confirmation_required'));
  assert.deepEqual(declared.map(({ id }) => id).toSorted(), Object.keys(confirmed).toSorted());
});

async function read(sql: string): Promise<unknown> {
  return asAdmin(
    database.superuserUrl,
    async (client) => (await client.query<Record<string, unknown>>(sql, [partner.partnerId])).rows,
  );
}

/** What a code guards. */
async function guarded(): Promise<unknown> {
  return Promise.all([
    read('select id, key_prefix, revoked_at from kelpie.api_keys where partner_id = $1 order by id'),
    read(`select email, role from kelpie.members where partner_id = $1 and email not like 'thief%' order by email`),
    read('select contact_email, billing_email from kelpie.partners where id = $1'),
    read('select daily_pence from kelpie.spending_limits where partner_id = $1'),
    read('select id from kelpie.sessions where partner_id = $1 and revoked_at is not null'),
    read('select id from kelpie.payouts where partner_id = $1'),
    read('select * from kelpie.approval_rules where partner_id = $1 order by environment'),
    read('select id, state, approved_by from kelpie.payout_requests where partner_id = $1'),
    read('select id, full_limit_at from kelpie.api_keys where partner_id = $1 order by id'),
  ]);
}

/** One of everyone's, so that the account may require them, and this one of the thief's victim. */
async function plantPasskeys(email: string, own: { id: string; sessionId: string }): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.passkeys (
         id, partner_id, email, name, credential_id, public_key, counter, transports, created_at
       )
       select case email when $2 then $3::uuid else gen_random_uuid() end, partner_id, email, 'Laptop',
         uuid_send(gen_random_uuid()), 'planted', 0, '{}', now()
       from kelpie.members where partner_id = $1`,
      [partner.partnerId, email, own.id],
    );
    await client.query('update kelpie.sessions set passkey_at = now() where id = $1', [own.sessionId]);
  });
}

function operationOf(id: string): Operation {
  const operation = operations.find((each) => each.id === id);
  assert(operation !== undefined, id);
  return operation;
}

for (const [id, acts] of Object.entries(confirmed)) {
  test(`${id}: an admin is asked for a code first, and a wrong one changes nothing`, async () => {
    const { method } = operationOf(id);
    const before = await guarded();
    for (const { path, body, passkeyId: own } of acts) {
      // Somebody new for each: a person is emailed five codes an hour.
      const thief = await signIn(database, partner, { url, email: `thief-${randomUUID().slice(0, 8)}@people.test` });
      if (own !== undefined) await plantPasskeys(thief.email, { id: own, sessionId: thief.sessionId });
      const key = randomUUID();
      const ask = async (given?: object): Promise<ApiAnswer> => {
        const sent = body === undefined && given === undefined ? {} : { body: { ...body, ...given } };
        return callAs(thief, path, { method, headers: { 'idempotency-key': key }, ...sent });
      };
      const asked = await ask();
      assert.deepEqual([asked.status, asked.code], [422, 'confirmation_required'], asked.text);
      for (const code of ['000000', '999999']) {
        const guessed = await ask({ confirm_code: code });
        assert.deepEqual([guessed.status, guessed.code], [422, 'invalid_confirm_code'], guessed.text);
      }
    }
    assert.deepEqual(await guarded(), before);
  });
}

test('a key past its daily limit creates no payout, and everything else works as before', async () => {
  const limited = await addKey(database, live);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.api_keys set daily_limit_pence = 1000 where id = $1', [limited.keyId]),
  );
  const client = { url, key: limited.key };
  const spend = async (): Promise<ApiAnswer> => createPayout(client, payoutBody({ amount_gbp: '10.00' }));
  assert.equal((await spend()).status, 201);
  const past = await spend();
  assert.deepEqual([past.status, past.code, valueAt(past.json, 'error.details.limit')], [422, 'limit_exceeded', 'key']);
  const held = operations.filter(({ codes }) => codes.some(({ code }) => code === 'limit_exceeded'));
  assert.deepEqual(held.map(({ id }) => id).toSorted(), ['approvePayoutRequest', 'createPayout']);
  const reads = operations.filter(
    ({ method, access, path }) => method === 'GET' && access === 'readers' && !path.includes('{'),
  );
  assert(reads.length >= 8);
  // A statement asks for its month first.
  for (const { path } of reads) assert(['', 'invalid_request'].includes((await call(client, path)).code), path);
});
