import { randomBytes } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import type { ApiAnswer } from '../harness/client.ts';
import { callAs } from '../harness/people.ts';
import { askCode, cookieOf, giveCode, newAddress, plantCodes, readCode } from '../harness/sign-in.ts';
import type { Attack } from './attempts.ts';
import { codesTo, untilMailed, wrong } from './confirmed.ts';
import { createVictim, type Stage, type Victim } from './stage.ts';

// Attacks on how people sign in, and on what a session is good for.

async function addAdmin({ sql }: Stage, { partnerId }: Pick<Victim, 'partnerId'>): Promise<string> {
  const email = newAddress();
  await sql(`insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, 'admin', now())`, [
    partnerId,
    email,
  ]);
  return email;
}

const fixation: Attack = {
  name: 'session-fixation',
  tries: 'a token that was planted in the browser before the sign-in is used after it',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const victim = await createVictim(stage);
    const email = await addAdmin(stage, victim);
    for (const planted of [randomBytes(32).toString('hex'), victim.admin.cookie.split('=')[1] ?? '']) {
      const cookie = `__Host-kelpie_session=${planted}`;
      await plantCodes(stage.world.database, [{ email, code: '123456' }]);
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      const own = cookieOf(await giveCode(url, { email, code: '123456' }, { headers }));
      const seen = await callAs({ url, cookie }, '/v1/auth/session');
      attempts.add(`the planted token is the person's: ${seen.status}`, seen.text.includes(email) || own === cookie);
    }
  },
};

const codeReuse: Attack = {
  name: 'sign-in-code-reuse',
  tries: 'one emailed code is exchanged for several sessions, one after the other and 40 times at once',
  async run(stage, attempts) {
    const { apis, inbox } = stage;
    const victim = await createVictim(stage);
    const email = await addAdmin(stage, victim);
    await askCode(apis[0].url, email);
    const code = await readCode(inbox, email);
    const asked = Array.from({ length: 40 }, async (_, nth) =>
      giveCode(apis[nth % 2 === 0 ? 0 : 1].url, { email, code }),
    );
    const opened = (await Promise.all(asked)).filter(({ status }) => status === 200).length;
    attempts.add(`${opened} sessions of 40 at once`, opened > 1);
    const again = await giveCode(apis[0].url, { email, code });
    attempts.mustBe('once more', again, '401 invalid_code');
  },
};

const foreignSlug: Attack = {
  name: 'foreign-slug',
  tries: 'a member of one account reaches another by its slug or by the Kelpie-Account header',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const [own, other] = [await createVictim(stage), await createVictim(stage)];
    const switched = await callAs(own.admin, '/v1/auth/session', { method: 'PATCH', body: { slug: other.slug } });
    attempts.mustBe('switching to it', switched, '404 not_found');
    const email = await addAdmin(stage, own);
    await plantCodes(stage.world.database, [{ email, code: '123456' }]);
    const signedIn = await giveCode(url, { email, code: '123456', slug: other.slug });
    attempts.mustBe('signing in to it', signedIn, '401 invalid_code');
    const headers = { 'kelpie-account': other.partnerId };
    for (const path of ['/v1/account', '/v1/members', '/v1/keys', '/v1/payouts', '/v1/balance?environment=live'])
      attempts.mustBe(`GET ${path}`, await callAs(own.admin, path, { headers }), '409 session_changed');
  },
};

/** What a browser keeps of all cookies that it was given. */
function cookiesOf({ headers }: ApiAnswer): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

/** Signs in with an emailed code, in a browser that has these cookies; says which it has then. */
async function signInFrom(stage: Stage, email: string, cookie = ''): Promise<{ status: number; cookies: string }> {
  const [{ url }] = stage.apis;
  const headers: Record<string, string> = cookie === '' ? {} : { cookie, 'sec-fetch-site': 'same-origin' };
  await untilMailed(stage);
  const before = codesTo(stage, email).length;
  await askCode(url, email, { headers });
  const code = await eventually(
    'a code is emailed',
    async () => {
      const codes = codesTo(stage, email);
      return codes.length > before && codes[0];
    },
    8_000,
  ).catch(() => '000000');
  const answer = await giveCode(url, { email, code }, { headers });
  return { status: answer.status, cookies: cookiesOf(answer) };
}

/** A stranger uses up what they can: guesses at codes, and codes. */
async function useUp({ apis: [{ url }] }: Stage, email: string): Promise<void> {
  for (let asked = 0; asked < 6; asked += 1) {
    await askCode(url, email);
    for (let guesses = 0; guesses < 4; guesses += 1) await giveCode(url, { email, code: '000000' });
  }
}

const lockout: Attack = {
  name: 'lockout',
  tries: 'a stranger uses up the guesses and codes of an admin, who then cannot sign in from their own browser',
  async run(stage, attempts) {
    const victim = await createVictim(stage);
    const email = await addAdmin(stage, victim);
    const first = await signInFrom(stage, email);
    if (first.status !== 200) throw new Error('the admin could not sign in at all');
    await useUp(stage, email);
    const again = await signInFrom(stage, email, first.cookies);
    attempts.add(`the admin is answered ${again.status}`, again.status !== 200);
  },
};

const stolenBrowser: Attack = {
  name: 'stolen-browser-cookie',
  tries: "the cookie that tells an admin's browser apart opens a session, or lets a thief guess without end",
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const victim = await createVictim(stage);
    const email = await addAdmin(stage, victim);
    const { cookies } = await signInFrom(stage, email);
    const browser = cookies.split('; ').filter((cookie) => !cookie.startsWith('__Host-kelpie_session='));
    if (browser.length === 0) throw new Error('the browser was given no cookie of its own');
    const cookie = browser.join('; ');
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    attempts.mustBe('it is a session', await callAs({ url, cookie }, '/v1/account'), '401 unauthorized');
    const token = browser[0]?.split('=')[1] ?? '';
    const asSession = { url, cookie: `__Host-kelpie_session=${token}` };
    attempts.mustBe('it is a session under its name', await callAs(asSession, '/v1/account'), '401 unauthorized');
    // Each code takes five guesses and each browser ten a day: the third code must not be judged any more.
    for (let codes = 0; codes < 3; codes += 1) {
      await untilMailed(stage);
      const before = codesTo(stage, email).length;
      await askCode(url, email, { headers });
      const right = await eventually('a code is emailed', async () => {
        const sent = codesTo(stage, email);
        return sent.length > before && sent[0];
      });
      for (let guesses = 0; guesses < 5; guesses += 1) await giveCode(url, { email, code: wrong(right) }, { headers });
      const late = await giveCode(url, { email, code: right }, { headers });
      attempts.mustBe('the right code after five guesses', late, '401 invalid_code');
    }
    const fresh = await signInFrom(stage, email, cookie);
    attempts.add(`a code after ten guesses: ${fresh.status}`, fresh.status === 200);
  },
};

export const signInAttacks: readonly Attack[] = [fixation, codeReuse, foreignSlug, lockout, stolenBrowser];
