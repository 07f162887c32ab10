import type { Payment } from '../../banks/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { listPayments } from './list-payments.ts';
import type { PayoutDeps } from './deps.ts';
import { wakePayout, listEnvironmentsAtBanks } from '../records/store.ts';

const firstId = '00000000-0000-0000-0000-000000000000';
const partnersAtOnce = 100;

const comesBack: ReadonlySet<Payment['state']> = new Set(['coming_back', 'refunded']);

/**
 * A payout that has arrived is not looked at any more, yet it can be returned for weeks. Where the webhook of that is lost,
 * the bank's own list still shows it: whatever has come back there is looked at once more. Says how many those are.
 */
export async function findLateReturns(deps: PayoutDeps): Promise<number> {
  let found = 0;
  let after = firstId;
  for (;;) {
    const partnerEnvironments = await listEnvironmentsAtBanks(deps.calls, after, partnersAtOnce);
    const last = partnerEnvironments.at(-1);
    if (last === undefined) return found;
    for (const partnerEnvironment of partnerEnvironments) found += await searchList(deps, partnerEnvironment);
    after = last.partnerId;
  }
}

interface Listed extends PartnerContext {
  rail: keyof PayoutDeps['banks'];
  bankCustomerId: string;
}

async function searchList({ banks, calls, clock, logger }: PayoutDeps, partnerEnvironment: Listed): Promise<number> {
  const { environment, partnerId } = partnerEnvironment;
  const bank = banks[partnerEnvironment.rail];
  if (bank === null) return 0;
  let found = 0;
  const listing = await listPayments(
    bank,
    partnerEnvironment.bankCustomerId,
    async ({ id: paymentId, ourReference, state }) => {
      if (ourReference === null || !comesBack.has(state)) return 'go on';
      if (await wakePayout(calls, { environment, orderId: ourReference, paymentId, at: clock.now() })) found += 1;
      return 'go on';
    },
  );
  if (listing === 'broken_off') logger.warn({ partner_id: partnerId, environment }, 'late_returns.not_listed');
  return found;
}
