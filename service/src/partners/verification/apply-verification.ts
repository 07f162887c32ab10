import type { Verification } from '../../banks/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { isMailAddress } from '../../platform/configuration/mail-address.ts';
import { verificationDecidedMail, type Decision } from '../mails/verification-decided.ts';
import { nextPollAt } from './poll-schedule.ts';
import type { VerificationDeps } from './deps.ts';
import { applyAnswer, followApproved, getKnown, markOpening } from './store.ts';

interface Answer {
  partnerId: string;
  verification: Verification;
  /** When the bank was asked. */
  polledAt: Date;
}

export type ApplyOutcome = { kind: 'taken' } | { kind: 'failed'; text: string };

/** The bank keeps a key for a day: past that, the same request needs another. */
const keyLastsMs = 23 * 60 * 60_000;

/** Verifications are of the partner, not of an environment; its sandbox is the environment that every partner has. */
const environmentOf = (partnerId: string) => ({ partnerId, environment: 'sandbox' }) as const;

/**
 * What the bank said of a verification, in one commit with all that follows from it: on a yes the partner is active, its live
 * environment open and its admins told. The wallet is opened at the bank before. Whoever comes second, or comes again after a crash,
 * finds the same wallet by the same key, and nothing left to write.
 */
export async function applyVerification(deps: VerificationDeps, answer: Answer): Promise<ApplyOutcome> {
  const { pool, clock, logger } = deps;
  const { partnerId, verification, polledAt } = answer;
  const partnerEnvironment = environmentOf(partnerId);
  const known = await inTransaction(pool, partnerEnvironment, async (tx) => getKnown(tx, verification.id));
  if (known.state === 'approved') {
    const later = { verification, polledAt, at: clock.now() };
    const isWithdrawn = await inTransaction(pool, partnerEnvironment, async (tx) => followApproved(tx, later));
    // An alarm: a business that paid with real money, and that the bank has turned away since. A person decides.
    if (isWithdrawn) logger.error({ partner_id: partnerId }, 'verification.no_longer_approved');
    return { kind: 'taken' };
  }
  const wallet = verification.state === 'approved' ? await openWallet(deps, partnerId, verification) : null;
  if (wallet?.kind === 'failed') return wallet;
  const at = clock.now();
  const nextDueAt = nextPollAt(known.state === verification.state ? known.lastNewsAt : at, at);
  const walletId = wallet?.walletId ?? null;
  const decision = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const reported = await applyAnswer(tx, { verification, walletId, polledAt, at, nextDueAt });
    if (reported === 'approved') await deps.onApproved(tx, partnerId, at);
    if (reported !== null) await mailAdmins(tx, deps, { business: known.business, decision: reported, verification });
    return reported;
  });
  if (decision !== null) logger.info({ partner_id: partnerId, status: decision }, 'verification.decided');
  return { kind: 'taken' };
}

async function openWallet(
  { pool, clock, bank }: VerificationDeps,
  partnerId: string,
  { id, customerId }: Extract<Verification, { state: 'approved' }>,
) {
  const at = clock.now();
  const since = await inTransaction(pool, environmentOf(partnerId), async (tx) => markOpening(tx, id, at));
  const round = Math.floor((at.getTime() - since.getTime()) / keyLastsMs);
  return bank.openWallet({ customerId, idempotencyKey: `${partnerId}-live-wallet-${id}-${round}` });
}

interface Decided {
  business: string;
  decision: Decision;
  verification: Verification;
}

async function mailAdmins(
  tx: Transaction,
  { outbox, listAdmins, dashboardUrl }: VerificationDeps,
  { business, decision, verification }: Decided,
): Promise<void> {
  const { continueUrl } = verification;
  const message = verificationDecidedMail({ business, decision, continueUrl, dashboardUrl });
  // An address that no mail can reach must not keep a business from paying.
  const admins = (await listAdmins(tx)).filter(isMailAddress);
  for (const to of admins) await outbox.post(tx, { kind: 'verification-decided', to, message });
}
