import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { lastId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { signInCodeMail } from '../mails/sign-in-code.ts';
import { signUpCodeMail } from '../mails/sign-up-code.ts';
import { codeMs } from './codes.ts';
import { openCode } from './encrypted-codes.ts';
import { findSignInMail, forgetSignInMail, isMember, listWaitingCodes, type CodeMail } from './store.ts';

interface MailCodeDeps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  encryptor: Encryptor;
  outbox: Outbox;
}

const codesAtOnce = 200;
/** More than that wait for the next round. */
const mostPages = 50;

/**
 * Mails every code that waits, the newest first: who floods us with addresses that are nobody's must not keep members
 * waiting. One that can't be mailed does not keep the next from it; in the end it is an error, and tried again.
 */
export async function mailWaitingCodes(deps: MailCodeDeps, signal: AbortSignal): Promise<void> {
  let failed = 0;
  let before = lastId;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await inTransaction(deps.pool, 'shared', async (tx) => listWaitingCodes(tx, before, codesAtOnce));
    const last = page.at(-1);
    if (last === undefined) break;
    for (const codeId of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      try {
        await mailCode(deps, codeId);
      } catch (error) {
        failed += 1;
        deps.logger.error({ error }, 'sign_in_code.not_emailed');
      }
    }
    before = last;
  }
  if (failed > 0) throw new Error(`${failed} codes could not be emailed`);
}

/** Another worker was quicker. */
class MailedAlready extends Error {}

/** Once, whoever else is at it: what was to be mailed is gone in the same commit. */
async function mailCode(deps: MailCodeDeps, codeId: string): Promise<void> {
  try {
    await inTransaction(deps.pool, 'shared', async (tx) => {
      const waiting = await findSignInMail(tx, codeId);
      if (waiting === null) return;
      await postCode(tx, deps, { codeId, ...waiting });
      // The last thing: whoever signs in waits for it, and must wait as long for an address that is nobody's.
      if (!(await forgetSignInMail(tx, codeId))) throw new MailedAlready();
    });
  } catch (error) {
    if (!(error instanceof MailedAlready)) throw error;
  }
}

interface Waiting extends CodeMail {
  codeId: string;
}

/** To a member, or to who signs up; to anybody else nothing, and nothing of a code that is over by now. */
async function postCode(
  tx: Transaction,
  { clock, encryptor, outbox }: MailCodeDeps,
  { codeId, encrypted, isSignUp, createdAt }: Waiting,
): Promise<void> {
  const expiresAt = new Date(createdAt.getTime() + codeMs);
  if (expiresAt <= clock.now()) return;
  const { email, code, ...origin } = openCode(encryptor, codeId, encrypted);
  const hasAccount = await isMember(tx, email);
  if (!hasAccount && !isSignUp) return;
  const message = isSignUp ? signUpCodeMail({ code, hasAccount }) : signInCodeMail({ code, ...origin });
  // Anybody can sign up with any number of addresses: members do not wait for that.
  await outbox.post(tx, { kind: 'sign-in-code', to: email, message, expiresAt, isLast: isSignUp });
}
