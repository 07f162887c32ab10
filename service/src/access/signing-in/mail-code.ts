import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { lastId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { signInCodeMail } from '../mails/sign-in-code.ts';
import { signUpCodeMail } from '../mails/sign-up-code.ts';
import { codeMs } from './codes.ts';
import { openCode } from './sealed-codes.ts';
import { isMember, listWaitingCodes, takeSignInMail } from './store.ts';

interface MailCodeParts {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  sealer: Sealer;
  outbox: Outbox;
}

const codesAtOnce = 200;
/** More than that wait for the next round. */
const mostPages = 50;

/**
 * Mails every code that waits, the newest first: who floods us with addresses that are nobody's must not keep members
 * waiting. One that can't be mailed does not keep the next from it; in the end it is an error, and tried again.
 */
export async function mailWaitingCodes(parts: MailCodeParts, signal: AbortSignal): Promise<void> {
  let failed = 0;
  let before = lastId;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await inTransaction(parts.pool, 'shared', async (tx) => listWaitingCodes(tx, before, codesAtOnce));
    const last = page.at(-1);
    if (last === undefined) break;
    for (const codeId of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      try {
        await mailCode(parts, codeId);
      } catch (error) {
        failed += 1;
        parts.logger.error({ error }, 'sign_in_code.not_mailed');
      }
    }
    before = last;
  }
  if (failed > 0) throw new Error(`${failed} codes could not be mailed`);
}

/**
 * To a member, or to who signs up; to anybody else nothing, and nothing of a code that is over by now. What was to be mailed
 * is gone in the same commit.
 */
async function mailCode({ pool, clock, sealer, outbox }: MailCodeParts, codeId: string): Promise<void> {
  await inTransaction(pool, 'shared', async (tx) => {
    const taken = await takeSignInMail(tx, codeId);
    if (taken === null) return;
    const expiresAt = new Date(taken.createdAt.getTime() + codeMs);
    if (expiresAt <= clock.now()) return;
    const { email, code } = openCode(sealer, codeId, taken.sealed);
    const hasAccount = await isMember(tx, email);
    if (!hasAccount && !taken.isSignUp) return;
    const content = taken.isSignUp ? signUpCodeMail({ code, hasAccount }) : signInCodeMail({ code });
    await outbox.post(tx, { kind: 'sign-in-code', to: email, content, expiresAt });
  });
}
