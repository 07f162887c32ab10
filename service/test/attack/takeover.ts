import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { act, actConfirmed } from './confirmed.ts';
import { createVictim, paidPence, payAs, type Stage, type Victim } from './stage.ts';

// Attacks with an admin's stolen session: without the mailbox, and with codes that were phished.

const asks = '422 confirmation_required';
const guess = '422 invalid_confirm_code';

async function countOf({ sql }: Stage, table: 'api_keys' | 'members', { partnerId }: Victim): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count from kelpie.${table} where partner_id = $1`,
    [partnerId],
  );
  return row?.count ?? 0;
}

const sessionPays: Attack = {
  name: 'session-pays',
  tries: "an admin's stolen cookie moves live money: by a payout, a new key, a rolled key or a higher limit",
  async run(stage, attempts) {
    const victim = await createVictim(stage);
    const { admin, live } = victim;
    const before = await countOf(stage, 'api_keys', victim);
    await stage.sql(
      `insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
       values ($1, 'live', 3000000, 2000000, 5000000)`,
      [victim.partnerId],
    );
    attempts.mustBe('a live payout', await payAs(admin), asks);
    const acts = {
      'a live key': { method: 'POST', path: '/v1/keys', body: { environment: 'live' } },
      'a live key to read': { method: 'POST', path: '/v1/keys', body: { environment: 'live', scope: 'read' } },
      'a rolled live key': { method: 'POST', path: `/v1/keys/${live.keyId}/roll`, body: { overlap_hours: 72 } },
      'a higher limit': { method: 'PATCH', path: '/v1/limits?environment=live', body: { daily_limit_gbp: '50000.00' } },
    };
    for (const [what, wanted] of Object.entries(acts)) {
      attempts.mustBe(what, await act(admin, wanted), asks);
      for (const code of ['000000', '123456'])
        attempts.mustBe(`${what} by ${code}`, await act(admin, wanted, code), guess);
    }
    const made = (await countOf(stage, 'api_keys', victim)) - before;
    attempts.add(`${made} keys were made`, made > 0);
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence were paid`, paid > 0n);
  },
};

function at({ email }: Person): string {
  return `/v1/members/${encodeURIComponent(email)}`;
}

const sessionTakesOver: Attack = {
  name: 'session-takes-over',
  tries: "an admin's stolen cookie invites or promotes an admin, removes one, or changes where emails go",
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const of = { url: apis[0].url };
    // A person is emailed five codes an hour: two sessions were stolen.
    const thieves = [victim.admin, await signIn(world.database, victim.sandbox, of)];
    const other = await signIn(world.database, victim.sandbox, of);
    const viewer = await signIn(world.database, victim.sandbox, { ...of, role: 'viewer' });
    const acts = {
      'an invited admin': {
        method: 'POST',
        path: '/v1/members',
        body: { email: 'mallory@evil.example', role: 'admin' },
      },
      'a promoted viewer': { method: 'PATCH', path: at(viewer), body: { role: 'admin' } },
      'a demoted admin': { method: 'PATCH', path: at(other), body: { role: 'viewer' } },
      'a removed admin': { method: 'DELETE', path: at(other) },
      'a removed viewer': { method: 'DELETE', path: at(viewer) },
      'another contact email': {
        method: 'PATCH',
        path: '/v1/account?environment=live',
        body: { contact_email: 'mallory@evil.example' },
      },
      'another billing email': {
        method: 'PATCH',
        path: '/v1/account?environment=live',
        body: { billing_email: 'mallory@evil.example' },
      },
      "another's ended session": { method: 'DELETE', path: `/v1/auth/sessions/${other.sessionId}` },
      "everyone's ended sessions": { method: 'DELETE', path: '/v1/auth/sessions?of=everyone' },
    };
    const before = await countOf(stage, 'members', victim);
    for (const [nth, [what, wanted]] of Object.entries(acts).entries()) {
      const thief = thieves[nth % 2] ?? victim.admin;
      attempts.mustBe(what, await act(thief, wanted), asks);
      attempts.mustBe(`${what} by a guess`, await act(thief, wanted, '000000'), guess);
    }
    const members = await countOf(stage, 'members', victim);
    attempts.add(`${members} members`, members !== before);
    attempts.add('the other admin is out', (await callAs(other, '/v1/auth/session')).status !== 200);
  },
};

/** Who has got an email that says this. */
async function isTold({ inbox }: Stage, email: string, says: string): Promise<boolean> {
  const look = async (): Promise<true | false> =>
    inbox.mails().some(({ to, text }) => to.includes(email) && text.includes(says) && !/^ +\d{6}$/m.test(text));
  return eventually('the email is there', look, 20_000).catch(() => false);
}

const unseenTakeover: Attack = {
  name: 'unseen-takeover',
  tries:
    'with phished codes, a stolen session invites an admin, makes a key and removes the real admin, unseen by them',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const real = await signIn(world.database, victim.sandbox, { url: apis[0].url });
    const mallory = `mallory-${randomUUID().slice(0, 8)}@evil.example`;
    const { admin } = victim;
    await actConfirmed(stage, admin, { method: 'POST', path: '/v1/members', body: { email: mallory, role: 'admin' } });
    const key = await actConfirmed(stage, admin, { method: 'POST', path: '/v1/keys', body: { environment: 'live' } });
    const contact = { contact_email: mallory };
    await actConfirmed(stage, admin, { method: 'PATCH', path: '/v1/account?environment=live', body: contact });
    const path = `/v1/members/${encodeURIComponent(real.email)}`;
    const removed = await actConfirmed(stage, admin, { method: 'DELETE', path });
    if (removed.status !== 200) throw new Error(`nobody was removed: ${removed.text}`);
    for (const [what, says] of Object.entries({
      'the invited admin': mallory,
      'the new key': textAt(key.json, 'key_prefix'),
      'the removal': real.email,
    }))
      attempts.add(`the removed admin did not learn of ${what}`, !(await isTold(stage, real.email, says)));
    attempts.add('no link to freeze', !(await isTold(stage, real.email, '/not-me#')));
  },
};

const suspendedGrows: Attack = {
  name: 'suspended-grows',
  tries: 'a suspended partner makes keys and members, to use them once it is active again',
  async run(stage, attempts) {
    const victim = await createVictim(stage);
    const { admin } = victim;
    await stage.sql(`update kelpie.partners set status = 'suspended' where id = $1`, [victim.partnerId]);
    const before = [await countOf(stage, 'api_keys', victim), await countOf(stage, 'members', victim)];
    const refusal = '403 partner_not_active';
    for (const environment of ['sandbox', 'live']) {
      const key = { method: 'POST', path: '/v1/keys', body: { environment } };
      attempts.mustBe(`a ${environment} key`, await act(admin, key), refusal);
    }
    const roll = { method: 'POST', path: `/v1/keys/${victim.live.keyId}/roll`, body: {} };
    attempts.mustBe('a rolled key', await act(admin, roll), refusal);
    for (const role of ['viewer', 'admin']) {
      const invite = { method: 'POST', path: '/v1/members', body: { email: `${randomUUID()}@evil.example`, role } };
      attempts.mustBe(`a new ${role}`, await act(admin, invite), refusal);
    }
    const after = [await countOf(stage, 'api_keys', victim), await countOf(stage, 'members', victim)];
    attempts.add(`${after.join()} keys and members`, after.join() !== before.join());
  },
};

export const takeoverAttacks: readonly Attack[] = [sessionPays, sessionTakesOver, unseenTakeover, suspendedGrows];
