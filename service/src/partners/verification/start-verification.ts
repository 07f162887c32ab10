import { createHash } from 'node:crypto';
import type { BankVerification, Verification } from '../../banks/index.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { refreshVerification } from './refresh-verification.ts';
import type { VerificationDeps } from './deps.ts';
import { beginVerification, getKnown, getStanding, type Standing } from './store.ts';
import { applyVerification } from './apply-verification.ts';

/** Whoever asks again and again is answered with what is known: the bank is not asked more often than this. */
const askAgainAfterMs = 5_000;

export interface StartDeps extends VerificationDeps {
  /** Refuses a session that is not an admin's any more. */
  requireAdmin: (tx: Transaction, sessionId: string) => Promise<void>;
}

/** Who asks the bank to look at a business. */
export interface Applicant {
  partnerId: string;
  /** The admin who starts it: the bank writes to this address. */
  email: string;
  /** Where the bank sends them when they are done with its pages. */
  redirectUrl: string;
}

interface Starter extends PartnerContext, Applicant {
  sessionId: string;
}

/**
 * Starts a partner's verification at the bank. Safe to repeat: one that is under way is only looked at again, and one that was
 * refused is started once more.
 */
export async function startVerification(deps: StartDeps, starter: Starter): Promise<void> {
  const standing = await inTransaction(deps.pool, starter, async (tx) => {
    await deps.requireAdmin(tx, starter.sessionId);
    return getStanding(tx, starter.partnerId);
  });
  if (standing.isApproved) return;
  if (standing.newestId !== null && (await isUnderWay(deps, starter, standing.newestId))) return;
  await begin(deps, starter, standing);
}

/** As the bank has it now. Where it can't be asked, one that is under way is answered as it is known. */
async function isUnderWay(deps: VerificationDeps, starter: Starter, id: string): Promise<boolean> {
  const { partnerId } = starter;
  const read = async () => inTransaction(deps.pool, starter, async (tx) => getKnown(tx, id));
  const known = await read();
  if (deps.clock.now().getTime() - known.askedAt.getTime() < askAgainAfterMs) return known.state !== 'rejected';
  const polled = await refreshVerification(deps, { id, partnerId });
  if (polled.kind === 'failed') {
    deps.logger.warn({ partner_id: partnerId, error_code: polled.text }, 'verification.not_refreshed');
    return known.state !== 'rejected';
  }
  return (await read()).state !== 'rejected';
}

/**
 * Within a day, the same try by the same person is the same request: what the bank began and we did not live to write down is
 * found again. On another day, it is found by the address.
 */
function idempotencyKey({ at, partnerId, email, attempts }: Application): string {
  const person = createHash('sha256').update(email).digest('hex').slice(0, 16);
  return `${partnerId}-verification-${attempts}-${person}-${at.toISOString().slice(0, 10)}`;
}

interface Application extends Applicant, Pick<Standing, 'business' | 'attempts'> {
  at: Date;
}

/** Asks the bank to begin, and says what it began. */
export async function askBank(
  bank: Pick<BankVerification, 'startVerification'>,
  application: Application,
): Promise<Verification> {
  const { business: name, email, redirectUrl } = application;
  const started = await bank.startVerification({
    name,
    email,
    redirectUrl,
    idempotencyKey: idempotencyKey(application),
  });
  if (started.kind === 'failed') throw bankCannotBeAsked(started.text);
  return started.verification;
}

async function begin(deps: StartDeps, starter: Starter, standing: Standing): Promise<void> {
  const { partnerId } = starter;
  const polledAt = deps.clock.now();
  const verification = await askBank(deps.bank, { ...starter, ...standing, at: polledAt });
  const begun = await inTransaction(deps.pool, starter, async (tx) => {
    // Again: the bank took its time.
    await deps.requireAdmin(tx, starter.sessionId);
    return beginVerification(tx, verification.id, polledAt);
  });
  if (begun === 'anothers') throw bankCannotBeAsked('the bank answered with the verification of another partner');
  // What the bank said first is written at once; what fails here is done by a worker, for which it is due.
  if (begun === 'begun') await applyVerification(deps, { partnerId, verification, polledAt });
}

/** Also where the bank knows the person's address from another business: it takes no second one from them. */
export function bankCannotBeAsked(internal: string): ApiError {
  return new ApiError({
    code: 'unavailable',
    message:
      'The bank could not start the verification. Retry in a few minutes. If that fails, ask another admin to start it.',
    internal: `verification: ${internal}`,
    retryAfterSeconds: 60,
  });
}
