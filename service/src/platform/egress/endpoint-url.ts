import { isIP } from 'node:net';
import { createAddressCheck } from './public-address.ts';

const maxLength = 500;
const firstFreePort = 1024;

/** Below 1024 are services such as mail, which must not receive what a partner has us send. */
function isPortOpen({ port }: URL): boolean {
  // An empty port is 443, or 80 for http://.
  return port === '' || Number(port) >= firstFreePort;
}

/**
 * The rule that a URL breaks, or null. It says nothing about the address, which is checked when we connect.
 */
export function brokenRule(text: string, { mayBePlain }: { mayBePlain: boolean }): string | null {
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null) return 'must be a URL, for example https://example.com/webhooks';
  if (url.protocol !== 'https:' && !(mayBePlain && url.protocol === 'http:'))
    return mayBePlain ? 'must start with https:// or http://' : 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  if (!isPortOpen(url)) return 'must use the default port or a port from 1024 to 65535';
  return null;
}

export interface UrlOptions {
  /** Also http://, for the sandbox. */
  mayBePlain: boolean;
  /** Networks that pass besides public addresses, as for `createEgress`. */
  allowed?: readonly string[];
}

/** For the route that registers an endpoint: why this URL can't be one ("must …"), or null. */
export function whyNotUrl(text: string, { mayBePlain, allowed = [] }: UrlOptions): string | null {
  const rule = brokenRule(text, { mayBePlain });
  if (rule !== null) return rule;
  const host = new URL(text).hostname.replaceAll(/[[\]]/g, '');
  // No name without a dot is public, and localhost is the first that people try.
  const mayBePublic = isIP(host) === 0 ? /[^.]\.[^.]/.test(host) : createAddressCheck(allowed)(host);
  return mayBePublic ? null : 'must be a public address';
}
