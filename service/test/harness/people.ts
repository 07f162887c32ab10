import { createHmac, randomBytes } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { plantCanary } from './canaries/find-canaries.ts';
import { call, type ApiAnswer } from './client.ts';
import type { TestDatabase } from './database.ts';
import { readyToPlant } from './seal-planted-rows.ts';
import { testSecrets } from './secrets.ts';

/** A person who has signed in, as the browser knows it. */
export interface Person {
  url: string;
  /** The whole Cookie header. */
  cookie: string;
  email: string;
  sessionId: string;
  partnerId: string;
}

/** A member of the partner's, new unless it is named, with an open session: without a mail, for tests that are about something else. */
export async function signIn(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId }: { partnerId: string },
  { url, role = 'admin', ...named }: { url: string; role?: 'admin' | 'viewer'; email?: string },
): Promise<Person> {
  const email = named.email ?? `${role}-${randomBytes(4).toString('hex')}@people.test`;
  const token = randomBytes(32).toString('hex');
  plantCanary('a session token', token);
  const tokenHmac = createHmac('sha256', Buffer.from(testSecrets.KELPIE_API_KEY_PEPPER, 'hex')).update(token).digest();
  const sessionId = newId(systemClock);
  await readyToPlant(database.superuserUrl);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, $3, now()) on conflict do nothing`,
      [partnerId, email, role],
    );
    await client.query(
      `insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
       values ($1, $2, $3, $4, now(), now())`,
      [sessionId, partnerId, email, tokenHmac],
    );
  });
  return { url, cookie: `__Host-kelpie_session=${token}`, email, sessionId, partnerId };
}

/** What a person's browser asks, from a page of the dashboard's own, which names the account that it is of. */
export async function callAs(
  { url, cookie, partnerId }: Pick<Person, 'url' | 'cookie'> & Partial<Person>,
  path: string,
  { headers = {}, ...asked }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const named: Record<string, string> = partnerId === undefined ? {} : { 'kelpie-account': partnerId };
  const own = { cookie, 'sec-fetch-site': 'same-origin', ...named };
  return call({ url, key: null }, path, { ...asked, headers: { ...own, ...headers } });
}
