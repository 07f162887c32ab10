import { randomBytes } from 'node:crypto';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import type { Pepper } from '../secrets.ts';
import type { CodeDigests } from './codes.ts';
import { signUp, type SignUpDeps } from './sign-up.ts';
import { openSession } from './store.ts';

export interface SignInDeps extends SignUpDeps {
  calls: SingleCalls;
  pepper: Pepper;
  digests: CodeDigests;
}

interface SignInAttempt {
  email: string;
  code: string;
  /** Of the partner that it is for; null where it does not say. */
  slug: string | null;
  /** Of the session that the browser had until now: it ends where a new one begins. */
  oldToken: string | null;
}

type SignedIn =
  | { kind: 'opened'; token: string; sessionId: string; partnerId: string }
  /** In whatever way. Where somebody guesses at a member, its partner may know. */
  | { kind: 'wrong'; partnerId: string | null }
  | { kind: 'slug_taken' };

/** Trades a code that was mailed for a session; opens the business first where the code is of a sign-up. */
export async function signIn(deps: SignInDeps, { email, code, slug, oldToken }: SignInAttempt): Promise<SignedIn> {
  const { calls, clock, pepper, digests } = deps;
  // Always a new one: a token that somebody planted before the sign-in is worth nothing after it.
  const token = randomBytes(32).toString('hex');
  const session = {
    sessionId: newId(clock),
    tokenHmac: pepper.digest(token),
    oldTokenHmac: oldToken === null ? null : pepper.digest(oldToken),
  };
  const attempt = { email, slug, emailHmac: digests.ofEmail(email), codeHmac: digests.ofCode(email, code), ...session };
  const judged = await openSession(calls, attempt, clock.now());
  switch (judged.kind) {
    case 'not_judged':
      return { kind: 'wrong', partnerId: null };
    case 'wrong':
      return judged;
    case 'opened':
      return { ...judged, token, sessionId: session.sessionId };
    case 'sign_up': {
      const signedUp = await signUp(deps, email, { code: judged, session });
      if (signedUp.kind === 'used') return { kind: 'wrong', partnerId: null };
      return signedUp.kind === 'slug_taken' ? signedUp : { ...signedUp, token, sessionId: session.sessionId };
    }
  }
}
