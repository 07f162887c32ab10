import { textAt } from './json.ts';
import type { Mail } from './mail/mail.ts';

/** Where a person signs up. */
export interface Dashboard {
  /** The api. */
  url: string;
  /** Sessions work only from this origin. */
  origin: string;
  inbox: { waitForMail: (to: string) => Promise<Pick<Mail, 'text'>> };
}

export interface NewBusiness {
  slug: string;
  name: string;
  adminEmail: string;
  viewerEmail: string;
}

interface Call {
  body: object;
  cookie?: string;
}

async function post({ url, origin }: Dashboard, path: string, { body, cookie = '' }: Call): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin, cookie };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function signIn(dashboard: Dashboard, email: string): Promise<string> {
  const { text } = await dashboard.inbox.waitForMail(email);
  const [code = ''] = /\b\d{6}\b/.exec(text) ?? [];
  const response = await post(dashboard, '/v1/auth/session', { body: { email, code } });
  return response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** Signs a business up as people do: an admin by an emailed code, then a viewer by invitation. Returns a sandbox API key. */
export async function signUpBusiness(dashboard: Dashboard, business: NewBusiness): Promise<string> {
  const { slug, name, adminEmail, viewerEmail } = business;
  await post(dashboard, '/v1/signup', { body: { email: adminEmail, name, slug, full_name: 'Ada Byron' } });
  const cookie = await signIn(dashboard, adminEmail);
  const viewer = { email: viewerEmail, name: 'Grace Hopper', role: 'viewer' };
  await post(dashboard, '/v1/members', { cookie, body: viewer });
  const key = { environment: 'sandbox', label: 'Development' };
  return textAt(await (await post(dashboard, '/v1/keys', { cookie, body: key })).json(), 'secret');
}
