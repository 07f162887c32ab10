import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { AskedConfirmation } from '../../platform/acts/confirmed-act.ts';
import { newId } from '../../platform/ids.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { ApiError } from '../../platform/api-error.ts';
import { askForPasskey } from '../passkeys/challenge.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { needsPasskey } from '../passkeys/store.ts';
import { newCode, type CodeDigests } from '../signing-in/codes.ts';
import { addConfirmation, confirmAct, confirmActByPasskey } from './store.ts';

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
  party: RelyingParty;
}

interface CodeMail {
  kind: string;
  /** Whether a person who needs a passkey is mailed a code too. */
  isBeside: boolean;
  mailWith: (code: string) => MailMessage;
}

export interface Confirmations {
  ask(toConfirm: ToConfirm, mailWith: (code: string) => MailMessage): Promise<AskedConfirmation>;
  /** The same in a transaction of the partner's. */
  askIn(tx: Transaction, toConfirm: ToConfirm, mail: CodeMail): Promise<AskedConfirmation>;
  given(toConfirm: ToConfirm, code: string): CodeHmacs;
  /** Judges a code and uses it up in the transaction. False counts as a guess, once that commits. */
  use(tx: Transaction, toConfirm: ToConfirm, code: string): Promise<boolean>;
  /** Whether a passkey has proven it: that is used up in the transaction. */
  useProof(tx: Transaction, toConfirm: ToConfirm): Promise<boolean>;
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

/**
 * Codes by which a person confirms one thing in one session, mailed in the transaction that notes them. Payouts and other acts
 * share a person's five codes per hour and ten wrong guesses per day: apart, a thief would have twice as many.
 */
export function createConfirmations(deps: ConfirmationDeps): Confirmations {
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
  const askIn: Confirmations['askIn'] = async (tx, toConfirm, { kind, isBeside, mailWith }) => {
    const code = newCode();
    const now = clock.now();
    const goodUntil = new Date(now.getTime() + goodForMs);
    const row = { ...given(toConfirm, code), ...toConfirm, id: newId(clock) };
    const notBefore = await addConfirmation(tx, row, now);
    if (notBefore !== null) throw tooMany(now, notBefore);
    const takesPasskey = await needsPasskey(tx, toConfirm);
    if (isBeside || !takesPasskey)
      await outbox.post(tx, { kind, to: toConfirm.email, message: mailWith(code), expiresAt: goodUntil });
    if (!takesPasskey) return { goodUntil, passkey: null };
    const asked = { purpose: 'confirm', confirmationId: row.id, at: now } as const;
    return { goodUntil, passkey: await askForPasskey(tx, deps.party, toConfirm, asked) };
  };
  return {
    given,
    askIn,
    use: async (tx, toConfirm, code) => confirmAct(tx, { ...toConfirm, ...given(toConfirm, code) }, clock.now()),
    useProof: async (tx, toConfirm) => confirmActByPasskey(tx, { ...toConfirm, ...given(toConfirm, '') }, clock.now()),
    async ask(toConfirm, mailWith) {
      const context = { partnerId: toConfirm.partnerId, environment: 'live' } as const;
      return inTransaction(pool, context, async (tx) =>
        askIn(tx, toConfirm, { kind: 'confirm-payout', isBeside: true, mailWith }),
      );
    },
  };
}
