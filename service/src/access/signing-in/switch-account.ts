import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import type { Pepper } from '../secrets.ts';
import { prepareSession, type SigningBrowser } from './session-to-open.ts';
import { sessionSeconds, type Sessions } from './sessions.ts';
import { openOtherSession } from './store.ts';

export interface SwitchAccountDeps {
  calls: SingleCalls;
  clock: Clock;
  pepper: Pepper;
  sessions: Sessions;
}

interface Entered {
  token: string;
  sessionId: string;
  partnerId: string;
  /** How long the session still lasts. */
  secondsLeft: number;
  /** What the account that was entered records it under: the request's id is in the list of the one that was left. */
  eventId: string;
}

interface Switching extends Omit<SigningBrowser, 'browserToken'> {
  oldToken: string;
  email: string;
  slug: string;
}

/** Takes a person from one of their accounts to another: one session becomes the other, and lasts no longer. */
export async function switchAccount(
  { calls, clock, pepper, sessions }: SwitchAccountDeps,
  { slug, email, ...browser }: Switching,
): Promise<Entered | null> {
  const { oldToken } = browser;
  const { token, row } = prepareSession({ clock, pepper }, { ...browser, browserToken: null });
  const { sessionId } = row;
  const at = clock.now();
  const eventId = newId(clock);
  const opened = await openOtherSession(calls, row, { slug, email, eventId }, at);
  if (opened === null) return null;
  sessions.forget(oldToken);
  const secondsGone = Math.floor((at.getTime() - opened.created_at.getTime()) / 1_000);
  const secondsLeft = Math.max(0, sessionSeconds - secondsGone);
  return { token, sessionId, partnerId: opened.partner_id, secondsLeft, eventId };
}
