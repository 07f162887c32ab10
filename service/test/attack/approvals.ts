import { randomUUID } from 'node:crypto';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import { decidePath, plantRules, requestIn } from '../harness/approvals.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { act, actConfirmed, codeFor } from './confirmed.ts';
import { createVictim, paidPence, payAs, type Stage, type Victim } from './stage.ts';

// Attacks on payouts that need a second admin, by a thief who has one admin's session and mailbox, or a hand in the database.

interface Guarded extends Victim {
  /** The thief's: a key that the admin created. */
  client: Client;
  /** Another admin, whose mailbox is not theirs. */
  other: Person;
}

/** Every payout needs approval. */
async function createGuarded(stage: Stage): Promise<Guarded> {
  const victim = await createVictim(stage);
  const { url } = stage.apis[0];
  const other = await signIn(stage.world.database, victim.sandbox, { url });
  const made = await actConfirmed(stage, victim.admin, {
    method: 'POST',
    path: '/v1/keys',
    body: { environment: 'live' },
  });
  if (made.status !== 201) throw new Error(`no key: ${made.text}`);
  await plantRules(stage.world.database, victim.live, { abovePence: 0n });
  return { ...victim, other, client: { url, key: textAt(made.json, 'secret') } };
}

async function newRequest({ client }: Guarded, key: string = randomUUID()): Promise<string> {
  const asked = await createPayout(client, payoutBody({ amount_gbp: '10.00' }), key);
  if (asked.code !== 'approval_required') throw new Error(`no request: ${asked.text}`);
  return requestIn(asked);
}

const approving = (id: string) => ({ method: 'POST', path: decidePath(id, 'approve', 'live') });

async function assertNothingPaid(
  stage: Stage,
  { partnerId }: Victim,
  attempts: Parameters<Attack['run']>[1],
): Promise<void> {
  const paid = await paidPence(stage, partnerId);
  attempts.add(`${paid} pence were paid`, paid > 0n);
}

const approvesOwn: Attack = {
  name: 'approves-own',
  tries: 'an admin with their mailbox, their key and a viewer approve what the admin or the key asked for',
  async run(stage, attempts) {
    const guarded = await createGuarded(stage);
    const { admin, client, sandbox } = guarded;
    const id = await newRequest(guarded);
    const own = await act(admin, approving(id));
    attempts.mustBe('asked for by an own key', own, '403 second_admin_required');
    // Where a code is asked for, the mailbox has it.
    if (own.code === 'confirmation_required') await actConfirmed(stage, admin, approving(id));
    const byKey = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
    const viewer = await signIn(stage.world.database, sandbox, { url: client.url, role: 'viewer' });
    attempts.mustBe('a viewer', await act(viewer, approving(id)), '403 api_key_required');
    const withKey = await fetch(`${client.url}/v1/payout-requests/${requestIn(byKey)}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}` },
      signal: AbortSignal.timeout(30_000),
    });
    attempts.add(`a key: ${withKey.status}`, withKey.status !== 403);
    const key = randomUUID();
    await payAs(admin, { key });
    const stranger = await createVictim(stage);
    attempts.mustBe("another partner's admin", await act(stranger.admin, approving(id)), '404 not_found');
    await assertNothingPaid(stage, guarded, attempts);
  },
};

const requestTampered: Attack = {
  name: 'request-tampered',
  tries: 'someone who writes the database past its triggers changes a request, and has it approved',
  async run(stage, attempts) {
    const guarded = await createGuarded(stage);
    const { admin, other, live } = guarded;
    const key = `tampered-${randomUUID()}`;
    const changes: readonly (readonly [change: string, values: unknown[], by: Person])[] = [
      ['amount_pence = 900000', [], other],
      [`account_last4 = '0000'`, [], other],
      ['fingerprint = sha256(fingerprint)', [], other],
      [`expires_at = expires_at + interval '7 days'`, [], other],
      ['idempotency_key = $2, order_id = $3', [key, orderIdOf(live, key)], other],
      ['requester = null', [], admin],
    ];
    for (const [change, values, by] of changes) {
      const id = await newRequest(guarded);
      await stage.sql(
        `with off as materialized (select set_config('session_replication_role', 'replica', true))
         update kelpie.payout_requests set ${change} from off where id = $1`,
        [id, ...values],
      );
      const asked = await act(by, approving(id));
      attempts.mustBe(change, asked, '409 payout_request_void');
      if (asked.code === 'confirmation_required') await actConfirmed(stage, by, approving(id));
    }
    await assertNothingPaid(stage, guarded, attempts);
  },
};

const rulesLoosened: Attack = {
  name: 'rules-loosened',
  tries: 'one admin with their mailbox switches the rules off, and pays',
  async run(stage, attempts) {
    const guarded = await createGuarded(stage);
    const { admin, client } = guarded;
    const path = '/v1/approval-rules?environment=live';
    for (const above of [null, '20000.00']) {
      const wanted = { method: 'PATCH', path, body: { above_gbp: above } };
      const changed = await actConfirmed(stage, admin, wanted);
      if (changed.status !== 200) throw new Error(changed.text);
      attempts.add(`above_gbp ${above}`, valueAt(changed.json, 'above_gbp') !== '0.00');
      const own = { method: 'POST', path: '/v1/approval-rules/approve?environment=live' };
      attempts.mustBe('own approval', await act(admin, own), '403 second_admin_required', '404 not_found');
      const paid = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
      attempts.mustBe('a payout', paid, '422 approval_required');
    }
    await assertNothingPaid(stage, guarded, attempts);
  },
};

const approvalCodeMoved: Attack = {
  name: 'approval-code-moved',
  tries: 'the code that approves one payout approves an equal one, in another session, by another admin, or twice',
  async run(stage, attempts) {
    const guarded = await createGuarded(stage);
    const { other, sandbox, client } = guarded;
    const [one, two] = [await newRequest(guarded), await newRequest(guarded)];
    const code = await codeFor(stage, other, approving(one));
    const refused = '422 invalid_confirm_code';
    attempts.mustBe('an equal payout', await act(other, approving(two), code), refused);
    const elsewhere = await signIn(stage.world.database, sandbox, { url: client.url, email: other.email });
    attempts.mustBe('another session', await act(elsewhere, approving(one), code), refused);
    const third = await signIn(stage.world.database, sandbox, { url: client.url });
    attempts.mustBe('another admin', await act(third, approving(one), code), refused);
    const pays = await callAs(other, '/v1/payouts?environment=live', {
      method: 'POST',
      body: { ...payoutBody({ amount_gbp: '10.00' }), confirm_code: code },
      headers: { 'idempotency-key': randomUUID() },
    });
    attempts.mustBe('a payout of their own', pays, refused);
    const right = await act(other, approving(one), code);
    if (right.status !== 200) throw new Error(right.text);
    attempts.mustBe('twice', await act(other, approving(two), code), refused);
    const paid = await paidPence(stage, guarded.partnerId);
    attempts.add(`${paid} pence were paid`, paid > 1_000n);
  },
};

export const approvalAttacks: readonly Attack[] = [approvesOwn, requestTampered, rulesLoosened, approvalCodeMoved];
