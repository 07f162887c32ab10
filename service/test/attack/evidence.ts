import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, canaries } from '../harness/client.ts';
import { callAs } from '../harness/people.ts';
import { says } from '../harness/invariants.ts';
import type { Attack } from './attempts.ts';
import { act } from './confirmed.ts';
import { chrome, createVictim } from './stage.ts';

// Attacks on who learns what: a sandbox key on live, a thief on the evidence, a copy of the database on secrets.

const sandboxReadsLive: Attack = {
  name: 'sandbox-key-reads-live',
  tries: 'a sandbox key reads who did what with real money',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { sandbox, live, admin } = await createVictim(stage);
    const paid = await createPayout({ url, key: live.key }, payoutBody({ amount_gbp: '10.00' }));
    const client = { url, key: sandbox.key };
    const invited = `${randomUUID()}@people.test`;
    await act(admin, { method: 'POST', path: '/v1/members', body: { email: invited, role: 'viewer' } });
    const secret = {
      'a live payout': paid.id,
      'a live key': live.key.slice(0, 16),
      'an email': admin.email,
      'a member': invited,
    };
    const paths = [
      '/v1/keys',
      '/v1/activity',
      '/v1/security-events',
      '/v1/payouts',
      '/v1/recipients',
      '/v1/balance',
      '/v1/limits',
    ];
    for (const path of paths) {
      const answer = await call(client, path);
      for (const [what, text] of Object.entries(secret))
        attempts.add(`${path} shows ${what}`, answer.status >= 500 || answer.text.includes(text));
    }
  },
};

const evidenceWashed: Attack = {
  name: 'evidence-washed',
  tries: 'a thief invites a member, then reads and fails 500 times, until the act is in no list',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const { sandbox, admin } = await createVictim(stage);
    const email = `${randomUUID()}@evil.example`;
    await act(admin, { method: 'POST', path: '/v1/members', body: { email, role: 'viewer' } });
    const client = { url, key: sandbox.key };
    const flood = async (path: string, method: string): Promise<unknown> => call(client, path, { method });
    for (let round = 0; round < 10; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, async (_, nth) =>
          nth % 2 === 0 ? flood('/v1/account', 'GET') : flood(`/v1/keys/${randomUUID()}`, 'DELETE'),
        ),
      );
    await eventually('the flood is recorded', async () => {
      const { json } = await callAs(admin, '/v1/activity');
      return listAt(json, 'data').length === 200 && !JSON.stringify(json).includes(email);
    });
    for (const path of ['/v1/security-events', '/v1/security-events?action=member.invite']) {
      const answer = await callAs(admin, path);
      attempts.add(`${path} does not show it: ${answer.status}`, !answer.text.includes(email));
    }
    const refused = await stage.sql(`delete from kelpie.security_events where detail = $1`, [email]).then(
      () => false,
      () => true,
    );
    attempts.add('a superuser deletes it', !refused);
  },
};

const untraceable: Attack = {
  name: 'untraceable',
  tries: 'a thief acts from a browser and a network that nobody can find out afterwards',
  async run(stage, attempts) {
    const { admin } = await createVictim(stage);
    const email = `${randomUUID()}@evil.example`;
    await callAs(admin, '/v1/members', {
      method: 'POST',
      body: { email, role: 'viewer' },
      headers: { 'user-agent': chrome },
    });
    const { json } = await callAs(admin, '/v1/security-events?action=member.invite');
    const events = valueAt(json, 'data');
    const event: unknown = Array.isArray(events) ? events.find((each) => valueAt(each, 'detail') === email) : undefined;
    attempts.add('no event', event === undefined);
    attempts.add(
      `network ${String(valueAt(event, 'network'))}`,
      !String(valueAt(event, 'network')).startsWith('127.0.0.'),
    );
    attempts.add(`browser ${String(valueAt(event, 'browser'))}`, !/chrome/i.test(String(valueAt(event, 'browser'))));
  },
};

const readReplica: Attack = {
  name: 'read-replica',
  tries: 'a copy of the database, read whole, gives account numbers, keys, sessions or codes',
  async run(stage, attempts) {
    const { world, apis } = stage;
    const victim = await createVictim(stage);
    const [{ url }] = apis;
    await createPayout({ url, key: victim.live.key }, payoutBody({ amount_gbp: '10.00' }));
    const made = await act(victim.admin, { method: 'POST', path: '/v1/keys', body: { environment: 'sandbox' } });
    const token = victim.admin.cookie.split('=')[1] ?? '';
    const dump = await asAdmin(world.database.superuserUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname in ('kelpie', 'pgboss') and c.relkind = 'r'`,
      );
      const found: string[] = [];
      for (const { name } of rows) {
        const table = await client.query<{ rows: string | null }>(
          `select string_agg(t::text, E'\n') as rows from ${name} t`,
        );
        found.push(table.rows[0]?.rows ?? '');
      }
      return found.join('\n');
    });
    const secrets = {
      ...canaries,
      'a live key': victim.live.key,
      'a new key': textAt(made.json, 'secret'),
      'a session': token,
    };
    for (const [what, secret] of Object.entries(secrets)) attempts.add(`${what} in clear`, says(dump, secret));
    const secretForm = /kp_(live|sandbox)_[a-f0-9]{48}/;
    attempts.add('any key in clear', secretForm.test(dump));
  },
};

export const evidenceAttacks: readonly Attack[] = [sandboxReadsLive, evidenceWashed, untraceable, readReplica];
