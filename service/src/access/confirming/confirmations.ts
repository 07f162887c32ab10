import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { ApiError } from '../../platform/api-error.ts';
import { newCode, type CodeDigests } from '../signing-in/codes.ts';
import { addPayoutConfirmation } from './store.ts';

/** A person in a session, and what it confirms: a text that differs wherever anything about it does. */
interface ToConfirm {
  partnerId: string;
  sessionId: string;
  email: string;
  what: string;
}

/** What is kept of a code, and what it is for. */
interface CodeHmacs {
  orderHmac: Buffer;
  emailHmac: Buffer;
  codeHmac: Buffer;
}

interface ConfirmationDeps {
  pool: Pool;
  clock: Clock;
  outbox: Outbox;
  digests: CodeDigests;
  orderDigest: KeyedDigest;
}

interface CodesByMail {
  ask(toConfirm: ToConfirm, mailWith: (code: string) => MailMessage): Promise<{ goodUntil: Date }>;
  given(toConfirm: ToConfirm, code: string): CodeHmacs;
}

/** The database keeps to it. */
const goodForMs = 5 * 60_000;

function tooMany(now: Date, notBefore: Date): ApiError {
  return new ApiError({
    code: 'rate_limited',
    message: 'We emailed you five codes in the last hour. Retry after the number of seconds in Retry-After.',
    retryAfterSeconds: Math.max(1, Math.ceil((notBefore.getTime() - now.getTime()) / 1_000)),
  });
}

/** Codes by which a person confirms one thing in one session, mailed in the transaction that notes them. */
export function createConfirmations(deps: ConfirmationDeps): CodesByMail {
  const { pool, clock, outbox, digests } = deps;
  const given = ({ sessionId, email, what }: ToConfirm, code: string): CodeHmacs => {
    const purpose = `confirm|${sessionId}|${what}`;
    return {
      orderHmac: deps.orderDigest(purpose),
      // Apart from the one by which guesses at signing in are counted: who guesses at that keeps nobody from paying.
      emailHmac: deps.orderDigest(`person|${email}`),
      codeHmac: digests.ofCode(purpose, code),
    };
  };
  return {
    given,
    async ask(toConfirm, mailWith) {
      const code = newCode();
      const now = clock.now();
      const goodUntil = new Date(now.getTime() + goodForMs);
      const row = { ...given(toConfirm, code), ...toConfirm, id: newId(clock) };
      const context = { partnerId: toConfirm.partnerId, environment: 'live' } as const;
      await inTransaction(pool, context, async (tx) => {
        const notBefore = await addPayoutConfirmation(tx, row, now);
        if (notBefore !== null) throw tooMany(now, notBefore);
        const mail = { kind: 'confirm-payout', to: toConfirm.email, message: mailWith(code), expiresAt: goodUntil };
        await outbox.post(tx, mail);
      });
      return { goodUntil };
    },
  };
}
