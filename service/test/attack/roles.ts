import { randomUUID } from 'node:crypto';
import { payoutBody } from '../harness/client.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { addKey } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import type { Attack } from './attempts.ts';
import { createVictim, type Victim } from './stage.ts';

// Attacks by somebody who is let in, on what they may not do.

const looks = new Set(['GET', 'HEAD']);

/** Every operation that changes something, from the description: a new one is attacked by itself. */
const writes = operations.filter(
  ({ method, access }) => !looks.has(method) && (access === 'payers' || access === 'admins'),
);

/** A body that an admin could send. One that is wrong is refused too, but for another reason. */
export function bodyOf({ id }: Operation): object {
  const bodies: Record<string, object> = {
    createPayout: payoutBody({ amount_gbp: '10.00' }),
    createKey: { environment: 'sandbox' },
    inviteMember: { email: `${randomUUID()}@invited.test`, role: 'viewer' },
    changeMember: { role: 'admin' },
    updateAccount: { billing_email: 'mallory@evil.example' },
  };
  return bodies[id] ?? {};
}

/** The address of something of the victim's. */
export function addressOf({ path }: Operation, { keyId, email, payoutId }: Record<string, string>): string {
  const id = path.startsWith('/v1/keys/') ? keyId : payoutId;
  return path.replace('{id}', id ?? randomUUID()).replace('{email}', encodeURIComponent(email ?? ''));
}

const viewerWrites: Attack = {
  name: 'viewer-writes',
  tries: 'a viewer sends every request that changes something, in both environments',
  async run(stage, attempts) {
    const victim = await createVictim(stage);
    const { keyId } = await addKey(stage.world.database, victim.sandbox);
    const viewer = await signIn(stage.world.database, victim.sandbox, { url: stage.apis[0].url, role: 'viewer' });
    for (const operation of writes) {
      for (const environment of ['sandbox', 'live']) {
        const address = `${addressOf(operation, { keyId, email: viewer.email })}?environment=${environment}`;
        const request = { method: operation.method, headers: { 'idempotency-key': randomUUID() } };
        const withBody = operation.method === 'DELETE' ? request : { ...request, body: bodyOf(operation) };
        const answer = await callAs(viewer, address, withBody);
        attempts.mustBe(`${operation.id} in ${environment}`, answer, '403 api_key_required');
      }
    }
    const role = await roleOf(stage, victim, viewer.email);
    attempts.add(`the viewer is ${role}`, role !== 'viewer');
  },
};

async function roleOf({ sql }: Parameters<Attack['run']>[0], { partnerId }: Victim, email: string): Promise<string> {
  const [row] = await sql<{ role: string }>('select role from kelpie.members where partner_id = $1 and email = $2', [
    partnerId,
    email,
  ]);
  return row?.role ?? 'none';
}

export const roleAttacks: readonly Attack[] = [viewerWrites];
