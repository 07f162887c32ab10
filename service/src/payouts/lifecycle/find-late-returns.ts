import type { Payment } from '../../banks/index.ts';
import { listEnvironmentsAtBanks, type EnvironmentAtBank } from '../../partners/index.ts';
import { listPayments } from './list-payments.ts';
import type { PayoutDeps } from './deps.ts';
import { wakePayout } from '../records/lease-store.ts';

const comesBack: ReadonlySet<Payment['state']> = new Set(['coming_back', 'refunded']);

/**
 * A payout that has arrived is not looked at any more, yet it can be returned for weeks. Where the webhook of that is lost,
 * the bank's own list still shows it: whatever has come back there is looked at once more. Says how many those are.
 */
export async function findLateReturns(deps: PayoutDeps): Promise<number> {
  let found = 0;
  for await (const environmentAtBank of listEnvironmentsAtBanks(deps.calls))
    found += await searchList(deps, environmentAtBank);
  return found;
}

async function searchList(
  { banks, calls, clock, logger }: PayoutDeps,
  environmentAtBank: EnvironmentAtBank,
): Promise<number> {
  const { environment, partnerId } = environmentAtBank;
  const bank = banks[environmentAtBank.rail];
  if (bank === null) return 0;
  let found = 0;
  const listing = await listPayments(
    bank,
    environmentAtBank.customerId,
    async ({ id: paymentId, ourReference, state }) => {
      if (ourReference === null || !comesBack.has(state)) return 'go on';
      if (await wakePayout(calls, { environment, orderId: ourReference, paymentId, at: clock.now() })) found += 1;
      return 'go on';
    },
  );
  if (listing === 'broken_off') logger.warn({ partner_id: partnerId, environment }, 'late_returns.not_listed');
  return found;
}
