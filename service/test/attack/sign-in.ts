import { randomBytes } from 'node:crypto';
import { callAs } from '../harness/people.ts';
import { askCode, cookieOf, giveCode, newAddress, plantCodes, readCode } from '../harness/sign-in.ts';
import type { Attack } from './attempts.ts';
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

export const signInAttacks: readonly Attack[] = [fixation, codeReuse, foreignSlug];
