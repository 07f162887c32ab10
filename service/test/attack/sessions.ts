import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { addKey } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { act } from './confirmed.ts';
import { createVictim, payAs } from './stage.ts';

// Attacks on ending sessions: a thief who stays, and a stranger who ends another's.

const thiefStays: Attack = {
  name: 'thief-stays',
  tries: "a thief keeps an admin's session although the admin ends it",
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const thief = await signIn(world.database, victim.sandbox, { url: apis[0].url, email: victim.admin.email });
    const elsewhere = { ...thief, url: apis[1].url };
    const listed = await callAs(victim.admin, '/v1/auth/sessions');
    const seen =
      listed.status === 200 && listAt(listed.json, 'data').some((each) => textAt(each, 'id') === thief.sessionId);
    attempts.add('the list does not show it', !seen);
    await callAs(elsewhere, '/v1/account');
    await callAs(victim.admin, `/v1/auth/sessions/${thief.sessionId}`, { method: 'DELETE' });
    const isOut = async (): Promise<boolean> => (await callAs(elsewhere, '/v1/account')).status === 401;
    attempts.add('it reads on', !(await eventually('it is out', isOut, 5_000).catch(() => false)));
    const paid = await payAs(elsewhere);
    attempts.mustBe('it pays', paid, '401 unauthorized');
    const other = await signIn(world.database, victim.sandbox, { url: apis[1].url, email: victim.admin.email });
    await callAs(victim.admin, '/v1/auth/sessions?of=me', { method: 'DELETE' });
    const isAlsoOut = async (): Promise<boolean> => (await callAs(other, '/v1/account')).status === 401;
    attempts.add('another one reads on', !(await eventually('it is out', isAlsoOut, 5_000).catch(() => false)));
    attempts.add('the admin is out', (await callAs(victim.admin, '/v1/account')).status !== 200);
  },
};

const foreignSessionEnd: Attack = {
  name: 'foreign-session-end',
  tries: "an admin ends another partner's session, and a viewer that of an admin",
  async run(stage, attempts) {
    const { world, apis } = stage;
    const [own, other] = [await createVictim(stage), await createVictim(stage)];
    const end = { method: 'DELETE', path: `/v1/auth/sessions/${other.admin.sessionId}` };
    attempts.mustBe("another partner's", await act(own.admin, end), '404 not_found');
    attempts.mustBe("another partner's by a guess", await act(own.admin, end, '000000'), '404 not_found');
    const viewer = await signIn(world.database, other.sandbox, { url: apis[0].url, role: 'viewer' });
    attempts.mustBe("an admin's", await act(viewer, end), '404 not_found', '403 api_key_required');
    const all = { method: 'DELETE', path: '/v1/auth/sessions?of=everyone' };
    attempts.mustBe("everyone's", await act(viewer, all), '403 api_key_required');
    for (const answer of [await callAs(viewer, '/v1/auth/sessions'), await callAs(own.admin, '/v1/auth/sessions')])
      attempts.add('it is listed', answer.text.includes(other.admin.sessionId));
    attempts.add('it is ended', (await callAs(other.admin, '/v1/account')).status !== 200);
    const { keyId } = await addKey(world.database, other.sandbox);
    attempts.mustBe(
      'a key of another',
      await act(own.admin, { method: 'DELETE', path: `/v1/keys/${keyId}` }),
      '404 not_found',
    );
  },
};

export const sessionAttacks: readonly Attack[] = [thiefStays, foreignSessionEnd];
