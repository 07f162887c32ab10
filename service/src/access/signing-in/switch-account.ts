import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import type { Pepper } from '../secrets.ts';
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
}

/** Takes a person from one of their accounts to another: one session becomes the other, and lasts no longer. */
export async function switchAccount(
  { calls, clock, pepper, sessions }: SwitchAccountDeps,
  { oldToken, slug }: { oldToken: string; slug: string },
): Promise<Entered | null> {
  const token = randomBytes(32).toString('hex');
  const sessionId = newId(clock);
  const at = clock.now();
  const entry = { oldTokenHmac: pepper.digest(oldToken), slug, sessionId, tokenHmac: pepper.digest(token) };
  const opened = await openOtherSession(calls, entry, at);
  if (opened === null) return null;
  sessions.forget(oldToken);
  const secondsGone = Math.floor((at.getTime() - opened.created_at.getTime()) / 1_000);
  return { token, sessionId, partnerId: opened.partner_id, secondsLeft: Math.max(0, sessionSeconds - secondsGone) };
}
