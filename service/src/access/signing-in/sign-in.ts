import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import { newBrowserMail } from '../mails/new-browser.ts';
import { notifyPerson, type NotifierDeps } from '../notifying/notify-admins.ts';
import type { Pepper } from '../secrets.ts';
import type { CodeDigests } from './codes.ts';
import { prepareSession, type SessionToOpen, type SigningBrowser } from './session-to-open.ts';
import { signUp, type OnOpened, type SignUpDeps } from './sign-up.ts';
import { openSession, type BegunSession } from './store.ts';

export interface SignInDeps extends SignUpDeps, NotifierDeps {
  pepper: Pepper;
  digests: CodeDigests;
  failpoint: Failpoint;
}

interface SignInAttempt extends SigningBrowser {
  email: string;
  code: string;
  /** Of the partner that it is for; null where it does not say. */
  slug: string | null;
}

type SignedIn =
  | { kind: 'opened'; token: string; browserToken: string; sessionId: string; partnerId: string }
  /** In whatever way. Where somebody guesses at a member, its partner may know. */
  | { kind: 'wrong'; partnerId: string | null }
  | { kind: 'slug_taken' };

/** Trades a code that was mailed for a session; opens the business first where the code is of a sign-up. */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const { pool, clock, digests } = deps;
  const { email, code, slug, browserToken } = attempt;
  const session = prepareSession(deps, attempt);
  const emailHmac = digests.ofEmail(email);
  const given = { email, slug, emailHmac, codeHmac: digests.ofCode(email, code) };
  const judged = await inTransaction(pool, 'shared', async (tx) => {
    const outcome = await openSession(tx, given, session.row, clock.now());
    if (outcome.kind === 'opened') await notifyOfBrowser(tx, deps, attempt, outcome);
    return outcome;
  });
  await deps.failpoint('database.open_session.after');
  const opened = (begun: BegunSession & { partnerId: string }): SignedIn => ({
    kind: 'opened',
    partnerId: begun.partnerId,
    sessionId: session.row.sessionId,
    token: session.token,
    browserToken: keptToken(session, begun, browserToken),
  });
  switch (judged.kind) {
    case 'not_judged':
      return { kind: 'wrong', partnerId: null };
    case 'wrong':
      return judged;
    case 'opened':
      return opened(judged);
    case 'sign_up': {
      const onOpened: OnOpened = async (tx, begun) => notifyOfBrowser(tx, deps, attempt, begun);
      const signedUp = await signUp(deps, { email, emailHmac }, { code: judged, session: session.row, onOpened });
      if (signedUp.kind === 'used') return { kind: 'wrong', partnerId: null };
      return signedUp.kind === 'slug_taken' ? signedUp : opened(signedUp);
    }
  }
}

function keptToken({ newBrowserToken }: SessionToOpen, { keepsBrowser }: BegunSession, had: string | null): string {
  return keepsBrowser && had !== null ? had : newBrowserToken;
}

/** In the commit of the sign-in: whoever reads the mailbox learns of each browser that it let in. */
async function notifyOfBrowser(
  tx: Transaction,
  deps: SignInDeps,
  { email, origin }: SignInAttempt,
  { isNewBrowser, partnerId }: BegunSession & { partnerId: string },
): Promise<void> {
  if (!isNewBrowser) return;
  const message = newBrowserMail({ ...origin, at: deps.clock.now() });
  await notifyPerson(tx, deps, { partnerId, email, kind: 'new-browser', message });
}
