import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import type { MailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createCodeDigests } from '../../src/access/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createKeyedDigest } from '../../src/platform/keyed-digest.ts';
import { plantCanary } from './canaries/find-canaries.ts';
import { call, type ApiAnswer } from './client.ts';
import type { TestDatabase } from './database.ts';
import { testSecrets } from './secrets.ts';

// Signing in as a person does it, and what a test plants to look at one part of that alone.

export function newAddress(): string {
  return `person-${randomBytes(6).toString('hex')}@people.test`;
}

interface Asking {
  headers?: Record<string, string>;
}

export async function askCode(url: string, email: string, { headers = {} }: Asking = {}): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/auth/code', { method: 'POST', body: { email }, headers });
}

export async function giveCode(
  url: string,
  body: { email: string; code: string; slug?: string },
  { headers = {} }: Asking = {},
): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/auth/session', { method: 'POST', body, headers });
}

/** The code of the mail that came to the address as the first, the second and so on. */
export async function readCode(inbox: MailInbox, email: string, number = 1): Promise<string> {
  const mail = await eventually('the mail is there', async () =>
    inbox
      .mails()
      .filter(({ to, subject }) => to.includes(email) && /sign-(in|up) code$/.test(subject))
      .toReversed()
      .at(number - 1),
  );
  const [code] = /\b\d{6}\b/.exec(mail.text) ?? [];
  assert(code !== undefined, mail.text);
  plantCanary('a sign-in code', code);
  return code;
}

/** What a browser would send back of all the cookies that it was given. */
export function cookiesOf({ headers }: ApiAnswer): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}

/** The same of the session's cookie alone, as a browser that is new to us. */
export function cookieOf({ headers, text }: ApiAnswer): string {
  const [cookie = ''] = headers.getSetCookie();
  assert.match(cookie, /^__Host-kelpie_session=[a-f0-9]{64};/, text);
  return cookie.split(';', 1)[0] ?? '';
}

const digests = createCodeDigests(createKeyedDigest(Buffer.from(testSecrets.KELPIE_INDEX_KEY, 'hex'), 'sign-in codes'));

/** Codes as if they had been asked for and mailed just now. */
export async function plantCodes(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  codes: readonly { email: string; code: string }[],
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.sign_in_codes (id, email_hmac, code_hmac, created_at)
       select *, now() from unnest($1::uuid[], $2::bytea[], $3::bytea[])`,
      [
        codes.map(() => newId(systemClock)),
        codes.map(({ email }) => digests.ofEmail(email)),
        codes.map(({ email, code }) => digests.ofCode(email, code)),
      ],
    ),
  );
}

/** Makes codes that were asked for what the test knows. */
export async function setCodes(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  codes: readonly { email: string; code: string }[],
): Promise<void> {
  await asAdmin(superuserUrl, async (client) => {
    for (const { email, code } of codes) {
      await client.query('update kelpie.sign_in_codes set code_hmac = $2 where email_hmac = $1', [
        digests.ofEmail(email),
        digests.ofCode(email, code),
      ]);
    }
  });
}

export async function addMembers(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  partnerId: string,
  emails: readonly string[],
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.members (partner_id, email, role, created_at) select $1, unnest($2::text[]), 'viewer', now()`,
      [partnerId, emails],
    ),
  );
}
