import { randomUUID } from 'node:crypto';
import { createPayout, payoutBody } from '../harness/client.ts';
import { addKey } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { tamper } from '../harness/seal-planted-rows.ts';
import type { Attack, Attempts } from './attempts.ts';
import { createVictim, paidPence, type Stage } from './stage.ts';

// Attacks by who writes to the database, with a key or a session of their own to use what they wrote.

type Write = (sql: string, values: readonly unknown[]) => Promise<void>;

function writerOf({ world }: Stage): Write {
  return async (sql, values) => tamper(world.database.superuserUrl, sql, values);
}

async function tryKey({ apis }: Stage, attempts: Attempts, what: string, key: string): Promise<void> {
  for (const { url } of apis) {
    const answer = await createPayout({ url, key }, payoutBody({ amount_gbp: '900.00' }), randomUUID());
    attempts.mustBe(what, answer, '401 unauthorized');
  }
}

async function digestOf({ sql }: Stage, { keyId }: { keyId: string }): Promise<Buffer> {
  const [row] = await sql<{ secret_hmac: Buffer }>('select secret_hmac from kelpie.api_keys where id = $1', [keyId]);
  if (row === undefined) throw new Error('the key is gone');
  return row.secret_hmac;
}

const rowsTampered: Attack = {
  name: 'rows-tampered',
  tries: 'who writes to the database widens, moves or swaps keys, makes a viewer an admin, and moves a session',
  async run(stage, attempts) {
    const { database } = stage.world;
    const [{ url }] = stage.apis;
    const write = writerOf(stage);
    const [victim, mallory] = [await createVictim(stage), await createVictim(stage)];

    const moved = await addKey(database, mallory.live);
    await write('update kelpie.api_keys set partner_id = $2 where id = $1', [moved.keyId, victim.partnerId]);
    await tryKey(stage, attempts, 'a key moved to the victim', moved.key);

    const reader = await addKey(database, victim.live, { scope: 'read' });
    await write(`update kelpie.api_keys set scope = 'pay' where id = $1`, [reader.keyId]);
    await tryKey(stage, attempts, 'a read key made one that pays', reader.key);

    const [own, theirs] = [await addKey(database, mallory.live), await addKey(database, victim.live)];
    const digest = await digestOf(stage, own);
    await write('update kelpie.api_keys set secret_hmac = sha256(secret_hmac) where id = $1', [own.keyId]);
    await write('update kelpie.api_keys set secret_hmac = $2 where id = $1', [theirs.keyId, digest]);
    await tryKey(stage, attempts, 'a secret put into the key of the victim', own.key);

    const viewer = await signIn(database, victim.sandbox, { url, role: 'viewer' });
    await write(`update kelpie.members set role = 'admin' where email = $1`, [viewer.email]);
    const asAdmin = await callAs(viewer, '/v1/members');
    attempts.add(`a viewer made an admin: ${asAdmin.status}`, asAdmin.status !== 401);

    const session = await signIn(database, mallory.sandbox, { url });
    await write('update kelpie.sessions set partner_id = $2, email = $3 where id = $1', [
      session.sessionId,
      victim.partnerId,
      victim.admin.email,
    ]);
    const asVictim = await callAs({ ...session, partnerId: victim.partnerId }, '/v1/members');
    attempts.add(`a session moved to the victim: ${asVictim.status}`, asVictim.status !== 401);

    const paid = await paidPence(stage, victim.partnerId);
    attempts.add(`${paid} pence left the wallet of the victim`, paid > 0n);
  },
};

export const tamperingAttacks: readonly Attack[] = [rowsTampered];
