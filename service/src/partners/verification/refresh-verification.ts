import { inTransaction } from '../../platform/database/transaction.ts';
import { nextPollAt } from './poll-schedule.ts';
import type { VerificationDeps } from './deps.ts';
import { getKnown, pollAgainAt, type DueVerification } from './store.ts';
import { applyVerification, type ApplyOutcome } from './apply-verification.ts';

/** Asks the bank how far it is with a business, and writes down what it says. What could not be asked is due again later. */
export async function refreshVerification(
  deps: VerificationDeps,
  { id, partnerId }: DueVerification,
): Promise<ApplyOutcome> {
  const outcome = await look(deps, { id, partnerId });
  if (outcome.kind === 'failed') {
    const partnerEnvironment = { partnerId, environment: 'sandbox' } as const;
    await inTransaction(deps.pool, partnerEnvironment, async (tx) => {
      const { lastNewsAt } = await getKnown(tx, id);
      await pollAgainAt(tx, id, nextPollAt(lastNewsAt, deps.clock.now()));
    });
  }
  return outcome;
}

async function look(deps: VerificationDeps, { id, partnerId }: DueVerification): Promise<ApplyOutcome> {
  const polledAt = deps.clock.now();
  const found = await deps.bank.findVerification(id);
  if (found.kind === 'unknown') return { kind: 'failed', text: found.text };
  const { verification } = found;
  if (verification.id !== id) return { kind: 'failed', text: 'the bank answered with another verification' };
  return applyVerification(deps, { partnerId, verification, polledAt });
}
