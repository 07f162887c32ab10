import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { TokenLeases } from '../../platform/rate-limits/token-leases.ts';
import { createProofsOfWork, type Proof } from './proof-of-work.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';

interface BudgetDeps {
  clock: Clock;
  leases: TokenLeases;
  /** Signs challenges. */
  digest: KeyedDigest;
}

/** Lets a sign-up pass within the budget of all, and beyond it one that brings a proof of work. */
export type RequireBudget = (email: string, proof: Proof | undefined) => Promise<void>;

export function createSignUpBudget({ clock, leases, digest }: BudgetDeps): RequireBudget {
  const proofs = createProofsOfWork(digest);
  return async (email, proof) => {
    if (proof !== undefined && proofs.isSolved(email, proof, clock.now())) return;
    const verdict = await leases.take('all');
    if (verdict.kind !== 'refused') return;
    const { challenge, bits, expiresAt } = proofs.challengeFor(email, clock.now());
    throw new ApiError({
      code: 'proof_of_work_required',
      message: 'Many accounts are being created. Solve the challenge in details, then repeat the request with it.',
      details: { challenge, bits, good_until: expiresAt.toISOString() },
    });
  };
}
