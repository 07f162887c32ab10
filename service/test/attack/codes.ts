import { randomUUID } from 'node:crypto';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { bankOf, payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { Attack } from './attempts.ts';
import { act, codeFor, wrong } from './confirmed.ts';
import { createVictim, paidPence } from './stage.ts';

// Attacks with one emailed code that was phished: for something else than it was emailed for, twice, or by guessing.

const refused = '422 invalid_confirm_code';

const payoutCodeMoved: Attack = {
  name: 'payout-code-moved',
  tries: 'the code of one payout confirms another amount, recipient, key, session or person',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const { admin } = victim;
    const key = randomUUID();
    const pay = async (person: Person, change: { key?: string; body?: object; code?: string }): Promise<ApiAnswer> =>
      callAs(person, '/v1/payouts?environment=live', {
        method: 'POST',
        body: {
          ...(change.body ?? payoutBody({ amount_gbp: '10.00' })),
          ...(change.code === undefined ? {} : { confirm_code: change.code }),
        },
        headers: { 'idempotency-key': change.key ?? key },
      });
    const asked = await pay(admin, {});
    if (asked.code !== 'confirmation_required') throw new Error(asked.text);
    const code = await codeOfPayout(stage, admin);
    const others: { key?: string; body?: object }[] = [
      { key: randomUUID() },
      { body: payoutBody({ amount_gbp: '10.01' }) },
      { body: payoutBody({ amount_gbp: '10.00', reference: 'Order 43' }) },
      { body: payoutBody({ amount_gbp: '10.00' }, bankOf('12345678')) },
      { body: payoutBody({ amount_gbp: '10.00' }, { last_name: 'Byron' }) },
    ];
    for (const [nth, other] of others.entries())
      attempts.mustBe(`order ${nth}`, await pay(admin, { ...other, code }), refused);
    const elsewhere = await signIn(world.database, victim.sandbox, { url: apis[1].url, email: admin.email });
    attempts.mustBe('another session', await pay(elsewhere, { code }), refused);
    const other = await signIn(world.database, victim.sandbox, { url: apis[1].url });
    attempts.mustBe('another person', await pay(other, { code }), refused);
    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence were paid`, paid > 0n);
  },
};

async function codeOfPayout(stage: Parameters<Attack['run']>[0], { email }: Person): Promise<string> {
  const mail = await stage.inbox.waitForMail(email, 30_000);
  return /^ +(\d{6})$/m.exec(mail.text)?.[1] ?? '';
}

const actCodeMoved: Attack = {
  name: 'act-code-moved',
  tries: 'the code of one act confirms another act, another field of it, session, person or account; or the same twice',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const { admin } = victim;
    const wanted = { method: 'POST', path: '/v1/keys', body: { environment: 'live', label: 'Shop' } };
    const code = await codeFor(stage, admin, wanted);
    const changed = (change: object) => ({ ...wanted, body: { ...wanted.body, ...change } });
    const acts = {
      'another label': changed({ label: 'Stop' }),
      'another scope': changed({ scope: 'read' }),
      'another network': changed({ networks: ['203.0.113.0/24'] }),
      'another expiry': changed({ expires_at: '2099-01-01T00:00:00Z' }),
      'another limit': changed({ daily_limit_gbp: '500.00' }),
      'a rolled key': { method: 'POST', path: `/v1/keys/${victim.live.keyId}/roll`, body: {} },
      'an admin': { method: 'POST', path: '/v1/members', body: { email: 'mallory@evil.example', role: 'admin' } },
      'an address': {
        method: 'PATCH',
        path: '/v1/account?environment=live',
        body: { contact_email: 'mallory@evil.example' },
      },
      'a limit': { method: 'PATCH', path: '/v1/limits?environment=live', body: { daily_limit_gbp: '49000.00' } },
    };
    for (const [what, other] of Object.entries(acts)) attempts.mustBe(what, await act(admin, other, code), refused);
    const of = { url: apis[1].url };
    const elsewhere = await signIn(world.database, victim.sandbox, { ...of, email: admin.email });
    attempts.mustBe('another session', await act(elsewhere, wanted, code), refused);
    attempts.mustBe(
      'another person',
      await act(await signIn(world.database, victim.sandbox, of), wanted, code),
      refused,
    );
    const foreign = await createVictim(stage);
    const member = await signIn(world.database, foreign.sandbox, { ...of, email: admin.email });
    attempts.mustBe('another account', await act(member, wanted, code), refused);
    const done = await act(admin, wanted, code);
    if (done.status !== 201) throw new Error(`the code was worth nothing: ${done.text}`);
    attempts.mustBe('twice', await act(admin, wanted, code), refused);
  },
};

const actCodeRaced: Attack = {
  name: 'act-code-raced',
  tries:
    'one code makes more than one key, sent 100 times at once to two processes; and a code is guessed 100 times at once',
  async run(stage, attempts) {
    const { apis } = stage;
    const victim = await createVictim(stage);
    const { admin } = victim;
    const wanted = { method: 'POST', path: '/v1/keys', body: { environment: 'live' } };
    const at = (nth: number): Person => ({ ...admin, url: apis[nth % 2 === 0 ? 0 : 1].url });
    const code = await codeFor(stage, admin, wanted);
    const raced = await Promise.all(Array.from({ length: 100 }, async (_, nth) => act(at(nth), wanted, code)));
    const made = raced.filter(({ status }) => status === 201).length;
    attempts.add(`${made} keys by one code`, made !== 1);
    const second = await codeFor(stage, admin, wanted);
    const guesses = await Promise.all(
      Array.from({ length: 100 }, async (_, nth) => act(at(nth), wanted, wrong(second))),
    );
    attempts.add(
      'a wrong code',
      guesses.some(({ status }) => status === 201),
    );
    attempts.mustBe('the right one after 100 guesses', await act(admin, wanted, second), refused);
  },
};

const oldActCode: Attack = {
  name: 'old-act-code',
  tries: 'a code is used after its five minutes, and after its session has ended',
  async run(stage, attempts) {
    const { clock } = stage;
    const { admin } = await createVictim(stage);
    const wanted = { method: 'POST', path: '/v1/keys', body: { environment: 'live' } };
    const code = await codeFor(stage, admin, wanted);
    clock.move(301_000);
    attempts.mustBe('after five minutes', await act(admin, wanted, code), refused);
    clock.move(-301_000);
    const newer = await codeFor(stage, admin, wanted);
    await callAs(admin, '/v1/auth/session', { method: 'DELETE' });
    attempts.mustBe('after signing out', await act(admin, wanted, newer), '401 unauthorized');
  },
};

export const codeAttacks: readonly Attack[] = [payoutCodeMoved, actCodeMoved, actCodeRaced, oldActCode];
