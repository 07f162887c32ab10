import { recordSecurityEvent } from '../../activity/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import type { PersonActor } from '../actor.ts';
import { findBySecret, type Pepper } from '../secrets.ts';
import { isOurs, makeMac, sealedMember, sealedSession, type DecidingSession } from '../sealed-rows.ts';
import type { UseRecorder } from '../use-recorder.ts';
import { findSession, revokeSession, type SessionRow } from './store.ts';

interface Session {
  sessionId: string;
  partnerId: string;
  email: string;
  role: 'admin' | 'viewer';
  hasLive: boolean;
}

export interface Sessions {
  /** Who a token stands for, or null for nobody. `anew` doesn't take what is remembered for an answer. */
  identify(token: string, how?: 'anew'): Promise<Session | null>;
  /** Ends it: here at once, and on every other process as soon as that looks again. */
  end(person: PersonActor, token: string): Promise<void>;
  /** That it is over is written already: here it is so at once. */
  forget(token: string): void;
}

/** One that was ended, or whose person was removed, still reads for so long at most; a payout checks it in its own commit. */
const keepMs = 900;
const mostRemembered = 10_000;

/** How long a session can last, by whatever use. The database keeps to it. */
export const sessionSeconds = 12 * 3_600;

/** As it was opened, with the digest that found it. */
function opened({ id, partner_id, email, created_at }: SessionRow, tokenHmac: Buffer): DecidingSession {
  return { id, partner_id, email, created_at, token_hmac: tokenHmac };
}

interface Deps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  pepper: Pepper;
  uses: Pick<UseRecorder, 'record' | 'redigest'>;
}

export function createSessions({ pool, calls, clock, pepper, uses }: Deps): Sessions {
  const cache = createTtlCache<Session | null>({ keepMs, most: mostRemembered });
  const forget = (token: string): void => cache.forget(pepper.digest(token).toString('base64'));
  return {
    async identify(token, how) {
      if (how === 'anew') forget(token);
      const tokenHmac = pepper.digest(token);
      return cache.get(tokenHmac.toString('base64'), async () => {
        const found = await findBySecret(pepper, token, async (digest) => findSession(calls, digest, clock.now()));
        if (found === null) return null;
        const { row, digest } = found;
        const { rowMacs } = calls;
        if (!isOurs(rowMacs, sealedSession(opened(row, digest)), row.mac)) return null;
        if (!isOurs(rowMacs, sealedMember(row), row.member_mac)) return null;
        uses.record('session', row.id);
        if (!digest.equals(tokenHmac)) {
          const macAfter = makeMac(rowMacs, sealedSession(opened(row, tokenHmac)));
          uses.redigest({ before: digest, after: tokenHmac, macBefore: row.mac, macAfter });
        }
        const { id: sessionId, partner_id: partnerId, email, role, has_live: hasLive } = row;
        return { sessionId, partnerId, email, role, hasLive };
      });
    },
    async end(person, token) {
      const done = { action: 'login.end', status: 200, environment: null, detail: null };
      await inTransaction(pool, person, async (tx) => {
        if (await revokeSession(tx, person.sessionId, clock.now())) await recordSecurityEvent(tx, person, done);
      });
      forget(token);
    },
    forget,
  };
}
