import assert from 'node:assert/strict';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import type { ApiAnswer } from './client.ts';
import type { Confirming } from './confirming.ts';
import { callAs, type Person } from './people.ts';

// Passkeys as the dashboard uses them, with an authenticator in software.

interface Challenge {
  challenge: string;
  rp_id: string;
  credentials: { id: string }[];
}

/** In an answer, or below a part of it. */
export function challengeIn({ json, text }: Pick<ApiAnswer, 'json' | 'text'>, at?: string): Challenge {
  const found = at === undefined ? json : valueAt(json, at);
  assert(typeof found === 'object', text);
  const credentials = listAt(found, 'credentials').map((each) => ({ id: textAt(each, 'id') }));
  return { challenge: textAt(found, 'challenge'), rp_id: textAt(found, 'rp_id'), credentials };
}

/** What a refused request wants to be proven. */
export function challengeOf(refused: ApiAnswer): Challenge {
  assert.deepEqual([refused.status, refused.code], [422, 'confirmation_required'], refused.text);
  return challengeIn(refused, 'error.details.passkey');
}

export interface Request {
  method: string;
  body?: object;
  headers?: Record<string, string>;
}

/** A person's first passkey, which an emailed code confirms. */
export async function addFirst(
  person: Person,
  { confirmed, origin }: { confirmed: Confirming; origin: string },
): Promise<Authenticator> {
  const authenticator = createAuthenticator(origin);
  const options = await confirmed.call(person, '/v1/passkey-options', { method: 'POST', body: {} });
  assert.equal(options.status, 200, options.text);
  const body = { name: 'Laptop', credential: authenticator.create(challengeIn(options)) };
  const added = await callAs(person, '/v1/passkeys', { method: 'POST', body });
  assert.equal(added.status, 201, added.text);
  return authenticator;
}

export async function prove(person: Person, signed: object): Promise<ApiAnswer> {
  return callAs(person, '/v1/passkey-proofs', { method: 'POST', body: signed });
}

/** Asks, proves what was asked for with the passkey, and repeats the request. */
export async function callProven(
  person: Person,
  authenticator: Authenticator,
  path: string,
  request: Request,
): Promise<ApiAnswer> {
  const refused = await callAs(person, path, request);
  const proven = await prove(person, authenticator.get(challengeOf(refused)));
  assert.equal(proven.status, 200, proven.text);
  return callAs(person, path, request);
}

/** The step after an emailed code, in the session whose cookie the answer to the code set. */
export async function beginStep(person: Pick<Person, 'url' | 'cookie'>): Promise<ApiAnswer> {
  return callAs(person, '/v1/auth/passkey/options', { method: 'POST' });
}

export async function completeStep(person: Pick<Person, 'url' | 'cookie'>, body: object): Promise<ApiAnswer> {
  return callAs(person, '/v1/auth/passkey', { method: 'POST', body });
}
