import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { signIn, type Person } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { act } from './confirmed.ts';
import { createVictim, type Stage, type Victim } from './stage.ts';

// Attacks with the link "this wasn't me", which freezes the live side of an account.

async function freeze({ apis: [{ url }] }: Stage, token: string): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/auth/freeze', { method: 'POST', body: { token } });
}

/** The token of the link that this admin is emailed when a key is made. */
async function tokenOf(stage: Stage, { admin }: Victim, reader: Person): Promise<string> {
  const label = randomUUID();
  await act(admin, { method: 'POST', path: '/v1/keys', body: { environment: 'sandbox', label } });
  return eventually('the link is emailed', async () => {
    const mail = stage.inbox.mails().find(({ to, text }) => to.includes(reader.email) && text.includes('/not-me#'));
    return /\/not-me#([\w.~-]+)/.exec(mail?.text ?? '')?.[1];
  });
}

async function isFrozen(stage: Stage, { live }: Victim): Promise<boolean> {
  const paid = await createPayout({ url: stage.apis[1].url, key: live.key }, payoutBody({ amount_gbp: '10.00' }));
  return paid.code === 'partner_not_active';
}

const foreignFreeze: Attack = {
  name: 'foreign-freeze',
  tries: 'a stranger freezes a business: by a forged, altered or another business’s token, or one of a removed admin',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const [victim, other] = [await createVictim(stage), await createVictim(stage)];
    const second = await signIn(world.database, victim.sandbox, { url: apis[0].url });
    const foreign = await tokenOf(stage, other, other.admin);
    const removed = await tokenOf(stage, victim, second);
    const forged = [
      randomBytes(32).toString('hex'),
      randomBytes(32).toString('base64url'),
      `${removed.slice(0, -4)}AAAA`,
      `AAAA${removed.slice(4)}`,
      removed.slice(0, -4),
      removed.toUpperCase(),
      victim.partnerId,
    ].filter((token) => token !== removed);
    for (const token of forged)
      attempts.mustBe(
        `a forged token ${token.length}`,
        await freeze(stage, token),
        '401 invalid_code',
        '422 invalid_request',
      );
    await stage.sql('delete from kelpie.members where partner_id = $1 and email = $2', [
      victim.partnerId,
      second.email,
    ]);
    attempts.mustBe("a removed admin's token", await freeze(stage, removed), '403 api_key_required');
    const page = await fetch(`${apis[0].url}/dashboard/not-me#${removed}`);
    await page.text();
    attempts.add('a scanner that opens the link', await isFrozen(stage, victim));
    const ours = await freeze(stage, foreign);
    if (ours.status !== 200) throw new Error(`a good token does not freeze: ${ours.text}`);
    attempts.add("another business's token", await isFrozen(stage, victim));
    if (!(await isFrozen(stage, other))) throw new Error('nothing was frozen');
  },
};

const thawed: Attack = {
  name: 'frozen-pays',
  tries: 'a frozen business pays live, or an admin or one operator thaws it alone',
  async run(stage, attempts) {
    const { apis } = stage;
    const victim = await createVictim(stage);
    const token = await tokenOf(stage, victim, victim.admin);
    const frozen = await freeze(stage, token);
    if (frozen.status !== 200) throw new Error(`it does not freeze: ${frozen.text}`);
    for (const { url } of apis) {
      const paid = await createPayout({ url, key: victim.live.key }, payoutBody({ amount_gbp: '10.00' }));
      attempts.mustBe('the live key pays', paid, '403 partner_not_active');
    }
    attempts.mustBe('the token again', await freeze(stage, token), '401 invalid_code', '200');
    const again = await createPayout({ url: apis[0].url, key: victim.live.key }, payoutBody({ amount_gbp: '10.00' }));
    attempts.mustBe('after the token was used again', again, '403 partner_not_active');
    const sandbox = await createPayout({ url: apis[0].url, key: victim.sandbox.key });
    if (sandbox.status !== 201) throw new Error(`sandbox is frozen too: ${sandbox.text}`);
  },
};

export const freezeAttacks: readonly Attack[] = [foreignFreeze, thawed];
