import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { JobSender, Queue } from '../../platform/jobs/jobs.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Pepper } from '../secrets.ts';
import { newCode, type CodeDigests } from './codes.ts';
import type { NewBusiness } from './new-business.ts';
import { encryptBusiness, encryptCode } from './encrypted-codes.ts';
import { browserDigest } from './session-to-open.ts';
import { addSignInCode } from './store.ts';

export interface RequestCodeDeps {
  pool: Pool;
  clock: Clock;
  jobs: Pick<JobSender, 'enqueue'>;
  encryptor: Encryptor;
  digests: CodeDigests;
  pepper: Pepper;
}

interface CodeRequest {
  email: string;
  signUp: NewBusiness | null;
  origin: Origin;
  /** Of the browser's own cookie. The code works in that browser alone, if the address has signed in from it before. */
  browserToken: string | null;
}

/** Its job looks whose the addresses are, and mails the codes of members: at once, and every minute what was left. */
export const signInMails: Queue = { name: 'sign-in-mails', retryLimit: 3, schedule: '* * * * *' };

type Asked = { kind: 'accepted' } | { kind: 'slug_taken' };

/**
 * Has a code mailed, if the address is a member's or signs up. Here the same is done for every address, in the same time:
 * whether it is a member's is only looked at by the job.
 */
export async function requestCode(
  deps: RequestCodeDeps,
  { email, signUp, origin, browserToken }: CodeRequest,
): Promise<Asked> {
  const { pool, clock, jobs, encryptor, digests, pepper } = deps;
  const id = newId(clock);
  const code = newCode();
  const row = {
    id,
    emailHmac: digests.ofEmail(email),
    browserHmac: browserDigest(pepper, browserToken),
    codeHmac: digests.ofCode(email, code),
    mailEncrypted: encryptCode(encryptor, id, { email, code, ...origin }),
    signUp: signUp && { slug: signUp.slug, encrypted: encryptBusiness(encryptor, id, signUp) },
  };
  return inTransaction(pool, 'shared', async (tx) => {
    const outcome = await addSignInCode(tx, row, clock.now());
    // Beyond five in an hour none is sent, and nobody is told: who asks knows how often it did.
    if (outcome === 'added') await jobs.enqueue(tx, signInMails, {});
    return { kind: outcome === 'slug_taken' ? 'slug_taken' : 'accepted' };
  });
}
