import { readInPages } from '../../platform/read-in-pages.ts';
import { warnIfLow } from './balance-floats.ts';
import type { FloatDeps } from './deps.ts';
import { dayMs } from './float-policy.ts';
import { foldHouseChanges, listOpenMoves, listUncoveredWallets } from './store.ts';

const atOnce = 100;

/**
 * Once a day, partner by partner: what it has is at the bank, on its way, or on its way from the float. Anything else is an
 * alarm, as is a move that has been open for a day. Says how many wallets are not covered.
 */
export async function checkCover(deps: FloatDeps, signal: AbortSignal): Promise<number> {
  const { calls, clock, logger } = deps;
  await foldHouseChanges(calls);
  let uncovered = 0;
  const wallets = readInPages(
    async (after) => listUncoveredWallets(calls, { after, atMost: atOnce }),
    ({ partnerId }) => partnerId,
  );
  for await (const { partnerId, environment } of wallets) {
    if (signal.aborted) return uncovered;
    uncovered += 1;
    logger.error({ partner_id: partnerId, environment }, 'funding.wallet_uncovered');
  }
  const stuckSince = clock.now().getTime() - dayMs;
  const open = readInPages(
    async (after) => listOpenMoves(calls, { after, atMost: atOnce }),
    ({ id }) => id,
  );
  for await (const { of, createdAt } of open)
    if (createdAt.getTime() < stuckSince)
      logger.error({ partner_id: of.partnerId, environment: of.environment }, 'float.stuck');
  await warnIfLow(deps, 'provider_sandbox');
  await warnIfLow(deps, 'provider_production');
  return uncovered;
}
