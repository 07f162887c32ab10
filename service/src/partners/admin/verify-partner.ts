import type { BankVerification } from '../../banks/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { askBank, bankCannotBeAsked, type Applicant } from '../verification/start-verification.ts';
import { beginVerification, getKnown, getStanding, wakeIn, type Standing } from '../verification/store.ts';

/** What is left to be done about a partner's verification. */
export type VerificationStep =
  | { kind: 'approved' }
  /** One is under way: the bank can be asked how far it is. */
  | { kind: 'ask'; id: string; state: string }
  /** There is none, or the bank said no. */
  | { kind: 'start'; standing: Standing };

/** In a transaction of the partner's. */
export async function planVerification(tx: Transaction, partnerId: string): Promise<VerificationStep> {
  const standing = await getStanding(tx, partnerId);
  if (standing.isApproved) return { kind: 'approved' };
  const known = standing.newestId === null ? null : await getKnown(tx, standing.newestId);
  if (known === null || known.state === 'rejected') return { kind: 'start', standing };
  return { kind: 'ask', id: known.id, state: known.state };
}

/** The bank is asked how far it is with whatever is due: a worker finds this one due. */
export async function askAgain(tx: Transaction, id: string, at: Date): Promise<void> {
  await wakeIn(tx, id, at);
}

interface Started {
  id: string;
  startedAt: Date;
}

/** Asks the bank to begin; what it began is written by `recordStarted`. Safe to repeat on the same day. */
export async function startAtBank(
  deps: { bank: Pick<BankVerification, 'startVerification'>; clock: Clock },
  applicant: Applicant,
  standing: Standing,
): Promise<Started> {
  const startedAt = deps.clock.now();
  const { id } = await askBank(deps.bank, { ...applicant, ...standing, at: startedAt });
  return { id, startedAt };
}

/** A worker then reads from the bank how it stands. */
export async function recordStarted(tx: Transaction, { id, startedAt }: Started): Promise<void> {
  const begun = await beginVerification(tx, id, startedAt);
  if (begun === 'anothers') throw bankCannotBeAsked('the bank answered with the verification of another partner');
  await wakeIn(tx, id, startedAt);
}
