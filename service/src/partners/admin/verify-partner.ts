import type { BankVerification } from '../../banks/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { askBank, bankCannotBeAsked, type Applicant } from '../verification/start-verification.ts';
import { beginVerification, getKnown, getStanding, wakeIn, type Standing } from '../verification/store.ts';

export type VerificationStep =
  | { kind: 'approved' }
  /** One is in progress: its status can be read from the bank. */
  | { kind: 'refresh'; id: string; state: string }
  /** There is none, or the bank rejected it. */
  | { kind: 'start'; standing: Standing };

/** Needs a transaction in the partner's context. */
export async function planVerification(tx: Transaction, partnerId: string): Promise<VerificationStep> {
  const standing = await getStanding(tx, partnerId);
  if (standing.isApproved) return { kind: 'approved' };
  const known = standing.newestId === null ? null : await getKnown(tx, standing.newestId);
  if (known === null || known.state === 'rejected') return { kind: 'start', standing };
  return { kind: 'refresh', id: known.id, state: known.state };
}

/** Makes it due, so that a worker reads its status from the bank. */
export async function refreshStatus(tx: Transaction, id: string, at: Date): Promise<void> {
  await wakeIn(tx, id, at);
}

interface Started {
  id: string;
  startedAt: Date;
}

/** Starts it at the bank; `recordStarted` stores it. Safe to repeat on the same day. */
export async function startAtBank(
  deps: { bank: Pick<BankVerification, 'startVerification'>; clock: Clock },
  applicant: Applicant,
  standing: Standing,
): Promise<Started> {
  const startedAt = deps.clock.now();
  const { id } = await askBank(deps.bank, { ...applicant, ...standing, at: startedAt });
  return { id, startedAt };
}

/** A worker then reads its status from the bank. */
export async function recordStarted(tx: Transaction, { id, startedAt }: Started): Promise<void> {
  const begun = await beginVerification(tx, id, startedAt);
  if (begun === 'anothers') throw bankCannotBeAsked('the bank answered with the verification of another partner');
  await wakeIn(tx, id, startedAt);
}
