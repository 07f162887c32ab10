import { sessionTokenOf } from '../../http/auth/session-cookie.ts';
import type { IncomingHttpHeaders } from 'node:http';

/** Whose a request is, by what it carries itself. */
export type RequestAddress =
  | { kind: 'key'; prefix: string }
  | { kind: 'slug'; slug: string }
  | { kind: 'session'; token: string }
  /** From a bank: it says nothing of a cell. */
  | { kind: 'bank' }
  /** Of no partner yet: pages, the reference, signing in. */
  | { kind: 'none' };

const keyForm = /^Bearer (kp_(?:sandbox|live)_[a-f0-9]{8})/;
const slugForm = /^\/v1\/public\/partners\/([a-z0-9-]{2,40})(?:[/?]|$)/;

export function addressOf({ url, headers }: { url: string; headers: IncomingHttpHeaders }): RequestAddress {
  if (url.startsWith('/bank-webhooks/')) return { kind: 'bank' };
  const [, prefix] = keyForm.exec(headers.authorization ?? '') ?? [];
  if (prefix !== undefined) return { kind: 'key', prefix };
  const [, slug] = slugForm.exec(url) ?? [];
  if (slug !== undefined) return { kind: 'slug', slug };
  const token = sessionTokenOf({ headers });
  return token === undefined ? { kind: 'none' } : { kind: 'session', token };
}
