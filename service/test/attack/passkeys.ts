import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createAuthenticator, type Authenticator } from '../harness/authenticator.ts';
import { addFirst, beginStep, callProven, challengeIn, challengeOf, completeStep, prove } from '../harness/passkeys.ts';
import { confirming } from '../harness/confirming.ts';
import { callAs, type Person } from '../harness/people.ts';
import { cookieOf, giveCode, plantCodes } from '../harness/sign-in.ts';
import type { Attack } from './attempts.ts';
import { act } from './confirmed.ts';
import { createVictim, paidPence, payAs, type Stage, type Victim } from './stage.ts';

// Attacks on an account that requires passkeys: with the mailbox, with a session, and with what a passkey signed for something else.

const origin = 'http://api.kelpie.test';
const out = '401 unauthorized';
const noPasskey = '422 invalid_passkey';
const asks = '422 confirmation_required';
const guess = '422 invalid_confirm_code';
const addOne = { method: 'POST', path: '/v1/passkey-options', body: {} };
const dropRule = { method: 'PATCH', path: '/v1/passkey-rule', body: { required: false } };
const inviteAdmin = { method: 'POST', path: '/v1/members', body: { email: 'mallory@evil.example', role: 'admin' } };

interface Guarded extends Victim {
  passkey: Authenticator;
}

/** A business that requires passkeys, whose only admin has one. */
async function createGuarded(stage: Stage): Promise<Guarded> {
  const victim = await createVictim(stage);
  const confirmed = confirming(stage.world.database, stage.inbox);
  const passkey = await addFirst(victim.admin, { confirmed, origin });
  const body = { required: true };
  const required = await callProven(victim.admin, passkey, '/v1/passkey-rule', { method: 'PATCH', body });
  if (required.status !== 200) throw new Error(required.text);
  return { ...victim, passkey };
}

/** A session of the admin's, as whoever reads the mailbox opens it. */
async function openByMailbox({ world, apis }: Stage, { admin }: Guarded): Promise<Person> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await plantCodes(world.database, [{ email: admin.email, code }]);
  const answer = await giveCode(apis[0].url, { email: admin.email, code });
  return { ...admin, cookie: cookieOf(answer), sessionId: '' };
}

async function passkeysOf({ sql }: Stage, { partnerId }: Victim): Promise<number> {
  const [row] = await sql<{ count: number }>(
    'select count(*)::int as count from kelpie.passkeys where partner_id = $1',
    [partnerId],
  );
  return row?.count ?? 0;
}

const mailboxOnly: Attack = {
  name: 'mailbox-without-passkey',
  tries: 'a stolen mailbox of an account that requires passkeys reads, pays, changes or adds a passkey',
  async run(stage, attempts) {
    const victim = await createGuarded(stage);
    const thief = await openByMailbox(stage, victim);
    for (const path of ['/v1/auth/session', '/v1/members', '/v1/payouts?environment=live', '/v1/passkeys'])
      attempts.mustBe(`reading ${path}`, await callAs(thief, path), out);
    for (const wanted of [addOne, dropRule, inviteAdmin]) attempts.mustBe(wanted.path, await act(thief, wanted), out);
    attempts.mustBe('a live payout', await payAs(thief), out);
    attempts.mustBe(
      'a live key',
      await act(thief, { method: 'POST', path: '/v1/keys', body: { environment: 'live' } }),
      out,
    );
    const own = createAuthenticator(origin);
    const asked = challengeIn(await beginStep(thief));
    attempts.mustBe('a passkey of their own', await completeStep(thief, { use: own.get(asked) }), noPasskey);
    const again = challengeIn(await beginStep(thief));
    const add = { name: 'Mine', credential: own.create(again) };
    attempts.mustBe('a new passkey at sign-in', await completeStep(thief, { add }), noPasskey);
    attempts.add('a passkey was added', (await passkeysOf(stage, victim)) !== 1);
    attempts.add('money left', (await paidPence(stage, victim.partnerId)) > 0n);
  },
};

const sessionAndMailbox: Attack = {
  name: 'session-without-passkey',
  tries:
    'a stolen session and mailbox of who has a passkey pay, invite, add or remove a passkey, or end its requirement',
  async run(stage, attempts) {
    const victim = await createGuarded(stage);
    const { admin } = victim;
    const key = randomUUID();
    attempts.mustBe('a live payout', await payAs(admin, { key }), asks);
    const mailed = await newestCode(stage, admin);
    attempts.mustBe('a live payout by its code alone', await payAs(admin, { key, code: mailed }), guess);
    attempts.mustBe(dropRule.path, await act(admin, dropRule), asks);
    attempts.mustBe(`${dropRule.path} by code`, await act(admin, dropRule, mailed), guess);
    attempts.mustBe('a further passkey', await act(admin, addOne), asks);
    attempts.mustBe('a further passkey by code', await act(admin, addOne, mailed), guess);
    attempts.add('a passkey was added', (await passkeysOf(stage, victim)) !== 1);
    attempts.add('money left', (await paidPence(stage, victim.partnerId)) > 0n);
  },
};

async function newestCode({ inbox }: Stage, { email }: Person): Promise<string> {
  return eventually('the code is emailed', async () => {
    const [code] = inbox
      .mails()
      .filter(({ to, text }) => to.includes(email) && text.includes('10.00'))
      .flatMap(({ text }) => /^ +(\d{6})$/m.exec(text)?.[1] ?? []);
    return code ?? false;
  });
}

const replayed: Attack = {
  name: 'passkey-challenge-replayed',
  tries: 'what a passkey signed is sent again, in another session, for another act, or too late',
  async run(stage, attempts) {
    const victim = await createGuarded(stage);
    const { admin, passkey } = victim;
    const signed = passkey.get(challengeOf(await act(admin, inviteAdmin)));
    const thief = await openByMailbox(stage, victim);
    await beginStep(thief);
    attempts.mustBe("an act's challenge at sign-in", await completeStep(thief, { use: signed }), noPasskey);
    const first = await prove(admin, signed);
    if (first.status !== 200) throw new Error(first.text);
    attempts.mustBe('the same again', await prove(admin, signed), noPasskey);
    attempts.mustBe('another act', await act(admin, dropRule), asks);
    const stolen = await openByMailbox(stage, victim);
    const own = passkey.get(challengeIn(await beginStep(stolen)));
    attempts.mustBe("another session's challenge", await completeStep(thief, { use: own }), noPasskey);
    attempts.mustBe('a session proven by it', await callAs(thief, '/v1/members'), out);
    attempts.mustBe('an act by a sign-in challenge', await prove(admin, own), noPasskey);
  },
};

const foreign: Attack = {
  name: 'foreign-passkey',
  tries: "another person's passkey, another page's, one without its person, or a copied one opens the account",
  async run(stage, attempts) {
    const victim = await createGuarded(stage);
    const stranger = await createGuarded(stage);
    const thief = await openByMailbox(stage, victim);
    const { passkey } = victim;
    const ask = async () => challengeIn(await beginStep(thief));
    const signed = {
      "another person's": stranger.passkey.get(await ask()),
      'another origin': passkey.get(await ask(), { origin: 'https://evil.example' }),
      'another relying party': passkey.get(await ask(), { rpId: 'evil.example' }),
      'no user verification': passkey.get(await ask(), { isUserVerified: false }),
      'a copied authenticator': passkey.get(await ask(), { counter: 0 }),
      'a challenge of their own': passkey.get(await ask(), { challenge: Buffer.alloc(32, 7).toString('base64url') }),
    };
    for (const [what, use] of Object.entries(signed))
      attempts.mustBe(what, await completeStep(thief, { use }), noPasskey);
    attempts.mustBe('the session', await callAs(thief, '/v1/members'), out);
  },
};

export const passkeyAttacks: readonly Attack[] = [mailboxOnly, sessionAndMailbox, replayed, foreign];
