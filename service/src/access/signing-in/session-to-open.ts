import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Pepper } from '../secrets.ts';

/** What a browser brings to a sign-in. */
export interface SigningBrowser {
  requestId: string;
  origin: Origin;
  /** Of the session that it had until now: that ends where a new one begins. */
  oldToken: string | null;
  /** Of its own cookie, by which we know it again. */
  browserToken: string | null;
}

/** What the database is given of a session that shall be opened: digests of its tokens, never the tokens. */
export interface NewSession {
  sessionId: string;
  tokenHmac: Buffer;
  oldTokenHmac: Buffer | null;
  requestId: string;
  origin: Origin;
  browserHmac: Buffer | null;
  newBrowserId: string;
  newBrowserHmac: Buffer;
}

export interface SessionToOpen {
  token: string;
  /** For a browser that does not keep the cookie it has. */
  newBrowserToken: string;
  row: NewSession;
}

/** A browser's cookie is digested apart from a session's: the one is worth nothing in the place of the other. */
export function browserDigest(pepper: Pepper, token: string | null): Buffer | null {
  return token === null ? null : pepper.digest(`browser|${token}`);
}

function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** Always with new tokens: one that somebody planted before the sign-in is worth nothing after it. */
export function prepareSession(
  { clock, pepper }: { clock: Clock; pepper: Pepper },
  { requestId, origin, oldToken, browserToken }: SigningBrowser,
): SessionToOpen {
  const token = newToken();
  const newBrowserToken = newToken();
  return {
    token,
    newBrowserToken,
    row: {
      sessionId: newId(clock),
      tokenHmac: pepper.digest(token),
      oldTokenHmac: oldToken === null ? null : pepper.digest(oldToken),
      requestId,
      origin,
      browserHmac: browserDigest(pepper, browserToken),
      newBrowserId: newId(clock),
      newBrowserHmac: pepper.digest(`browser|${newBrowserToken}`),
    },
  };
}
