import { parseCookie } from 'cookie';
import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';

/** Bound to this very host, and to https: no other host, and no page of another site, can set or read it. */
export const sessionCookieName = '__Host-kelpie_session';
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';
const tokenForm = /^[a-f0-9]{64}$/;

/** Tells which browser it is, also when nobody is signed in. By itself it opens nothing. */
const browserCookieName = '__Host-kelpie_browser';
/** As long as browsers keep a cookie at most. The database keeps to it. */
const browserDays = 400;

export function browserCookie(token: string): string {
  return `${browserCookieName}=${token}; ${attributes}; Max-Age=${browserDays * 24 * 3_600}`;
}

export function sessionCookie(token: string, maxAgeSeconds: number): string {
  return `${sessionCookieName}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`;
}

export const endedSessionCookie = `${sessionCookieName}=; ${attributes}; Max-Age=0`;

/** A token is hexadecimal, so it is compared as it was sent: decoding would give it several spellings. */
const asSent = { decode: (value: string): string => value };

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** The token in the Cookie header, where it has the form of one. The first counts where the header has several. */
function tokenOf({ headers }: WithHeaders, cookieName: string): string | undefined {
  const token = headers.cookie === undefined ? undefined : parseCookie(headers.cookie, asSent)[cookieName];
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

export function sessionTokenOf(request: WithHeaders): string | undefined {
  return tokenOf(request, sessionCookieName);
}

export function browserTokenOf(request: WithHeaders): string | undefined {
  return tokenOf(request, browserCookieName);
}

const foreign = {
  code: 'cross_site_request',
  message: 'The request did not come from the dashboard. Nothing was changed.',
} as const;

function isForeign({ headers }: FastifyRequest, ownOrigins: readonly string[]): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  return (origin !== undefined && !ownOrigins.includes(origin)) || (site !== undefined && !ownSites.has(site));
}

/**
 * A page of another site could have a browser that is signed in ask us something. The browser then says where the page is
 * from; what says nothing about that is believed only where it does no more than look.
 */
export function foreignOriginError(request: FastifyRequest, ownOrigins: readonly string[]): ApiError | undefined {
  const { headers, method } = request;
  const saysNothing = headers.origin === undefined && headers['sec-fetch-site'] === undefined;
  return isForeign(request, ownOrigins) || (saysNothing && !looks.has(method)) ? new ApiError(foreign) : undefined;
}

/**
 * The same where nobody is signed in yet: a page of another site could else sign a browser in as somebody else. What says
 * nothing is no browser, and has no person's cookie to lose.
 */
export function refuseForeignPages(ownOrigins: readonly string[]): OpenHook {
  return (request, _reply, done) => done(isForeign(request, ownOrigins) ? new ApiError(foreign) : undefined);
}

type OpenHook = (request: FastifyRequest, reply: unknown, done: HookHandlerDoneFunction) => void;

/** `none` is a person who typed the address. */
const ownSites = new Set(['same-origin', 'none']);
const looks = new Set(['GET', 'HEAD']);
