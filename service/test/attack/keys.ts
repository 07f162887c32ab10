import { randomUUID } from 'node:crypto';
import { textAt } from '@kelpie/dev/json.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { call, createPayout, payoutBody } from '../harness/client.ts';
import { operations } from '../harness/contract.ts';
import { callAs } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { exchangeRaw, statusesIn } from './raw.ts';
import { addressOf, bodyOf } from './roles.ts';
import { createVictim, type Stage, type Victim } from './stage.ts';

// Attacks with a stolen API key on what the key was narrowed to.

/** A sandbox key, which an admin makes without a code, as narrow as asked. */
async function narrowKey({ admin }: Victim, body: object): Promise<{ id: string; secret: string }> {
  const made = await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox', ...body } });
  if (made.status !== 201) throw new Error(`no key: ${made.text}`);
  return { id: made.id, secret: textAt(made.json, 'secret') };
}

const looks = new Set(['GET', 'HEAD']);

const readKeyWrites: Attack = {
  name: 'read-key-writes',
  tries: 'a stolen read key sends every request that changes something',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const victim = await createVictim(stage);
    const { secret } = await narrowKey(victim, { scope: 'read' });
    const payout = await createPayout({ url, key: victim.sandbox.key });
    const writes = operations.filter(
      ({ method, access }) => !looks.has(method) && !['anybody', 'readers'].includes(access),
    );
    for (const operation of writes) {
      const address = addressOf(operation, {
        payoutId: payout.id,
        keyId: victim.sandbox.keyId,
        email: victim.admin.email,
      });
      const request = { method: operation.method, headers: { 'idempotency-key': randomUUID() } };
      const withBody = operation.method === 'DELETE' ? request : { ...request, body: bodyOf(operation) };
      const answer = await call({ url, key: secret }, address, withBody);
      attempts.mustBe(operation.id, answer, '403 api_key_required', '403 session_required');
    }
    const account = await call({ url, key: secret }, '/v1/account');
    if (account.status !== 200) throw new Error(`a read key does not read: ${account.text}`);
  },
};

/** A request by key from an address of this machine. */
async function askFrom(url: string, localAddress: string, key: string, more = ''): Promise<number> {
  const head = `GET /v1/account HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n${more}\r\n`;
  return statusesIn(await exchangeRaw(url, head, { localAddress }))[0] ?? 0;
}

const foreignNetwork: Attack = {
  name: 'key-from-foreign-network',
  tries: 'a stolen key is used from outside its networks, right after its owner used it, and with forged headers',
  async run(stage, attempts) {
    const [{ url }] = stage.apis;
    const victim = await createVictim(stage);
    const { secret } = await narrowKey(victim, { networks: ['127.0.0.2/32', '2001:db8::/32'] });
    const forged = 'x-forwarded-for: 127.0.0.2\r\nx-real-ip: 127.0.0.2\r\nforwarded: for=127.0.0.2\r\n';
    for (let round = 0; round < 5; round += 1) {
      const owner = await askFrom(url, '127.0.0.2', secret);
      if (owner !== 200) throw new Error(`the owner is answered ${owner}`);
      for (const more of ['', forged]) {
        const thief = await askFrom(url, '127.0.0.1', secret, more);
        attempts.add(`from 127.0.0.1 ${more.slice(0, 15)}: ${thief}`, thief !== 401);
      }
    }
    const paid = await createPayout({ url, key: secret }, payoutBody());
    attempts.mustBe('it pays', paid, '401 unauthorized');
  },
};

const expiredKey: Attack = {
  name: 'expired-key',
  tries: 'a stolen key pays after it has expired, while processes still remember it',
  async run(stage, attempts) {
    const { apis, clock } = stage;
    const victim = await createVictim(stage);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const { secret } = await narrowKey(victim, { expires_at });
    for (const { url } of apis) await call({ url, key: secret }, '/v1/account');
    const early = await createPayout({ url: apis[0].url, key: secret });
    if (early.status !== 201) throw new Error(`it does not pay before: ${early.text}`);
    clock.move(61_000);
    try {
      for (const { url } of apis)
        attempts.mustBe('it pays', await createPayout({ url, key: secret }), '401 unauthorized');
      const reads = async (): Promise<boolean> =>
        (await call({ url: apis[1].url, key: secret }, '/v1/account')).status === 401;
      attempts.add('it reads on', !(await eventually('it is refused', reads, 5_000).catch(() => false)));
    } finally {
      clock.move(-61_000);
    }
  },
};

async function roll(stage: Stage, victim: Victim, id: string, overlapHours: number) {
  return callAs({ ...victim.admin, url: stage.apis[1].url }, `/v1/keys/${id}/roll`, {
    method: 'POST',
    body: { overlap_hours: overlapHours },
  });
}

const rollRacesRevoke: Attack = {
  name: 'roll-races-revoke',
  tries: 'a stolen session rolls a key at the moment it is revoked, so that one secret lives on',
  async run(stage, attempts) {
    const { apis } = stage;
    const victim = await createVictim(stage);
    for (let round = 0; round < 10; round += 1) {
      const { id, secret } = await narrowKey(victim, { label: `round ${round}` });
      const [rolled, revoked] = await Promise.all([
        roll(stage, victim, id, 72),
        callAs(victim.admin, `/v1/keys/${id}`, { method: 'DELETE' }),
        createPayout({ url: apis[0].url, key: secret }),
      ]);
      if (revoked.status !== 200) throw new Error(`it was not revoked: ${revoked.text}`);
      const secrets = [secret, ...(rolled.status === 201 ? [textAt(rolled.json, 'secret')] : [])];
      for (const key of secrets) {
        const paid = await createPayout({ url: apis[round % 2 === 0 ? 0 : 1].url, key });
        attempts.mustBe('a secret of a revoked key', paid, '401 unauthorized');
      }
    }
  },
};

const oldSecret: Attack = {
  name: 'old-secret',
  tries: 'the secret of a rolled key pays after its overlap, or a roll keeps more than two secrets alive',
  async run(stage, attempts) {
    const { apis, clock } = stage;
    const victim = await createVictim(stage);
    const [{ url }] = apis;
    const { id, secret: first } = await narrowKey(victim, {});
    const second = textAt((await roll(stage, victim, id, 1)).json, 'secret');
    const during = await createPayout({ url, key: first });
    if (during.status !== 201) throw new Error(`the overlap does not work: ${during.text}`);
    clock.move(3_601_000);
    try {
      for (const { url: each } of apis)
        attempts.mustBe('after the overlap', await createPayout({ url: each, key: first }), '401 unauthorized');
    } finally {
      clock.move(-3_601_000);
    }
    const third = textAt((await roll(stage, victim, id, 72)).json, 'secret');
    attempts.mustBe('the oldest of three', await createPayout({ url, key: first }), '401 unauthorized');
    const fourth = textAt((await roll(stage, victim, id, 0)).json, 'secret');
    for (const key of [second, third])
      attempts.mustBe('without an overlap', await createPayout({ url, key }), '401 unauthorized');
    const newest = await createPayout({ url, key: fourth });
    if (newest.status !== 201) throw new Error(`the newest does not pay: ${newest.text}`);
  },
};

export const keyAttacks: readonly Attack[] = [readKeyWrites, foreignNetwork, expiredKey, rollRacesRevoke, oldSecret];
