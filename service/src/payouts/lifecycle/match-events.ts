import type { Rail } from '../../partners/index.ts';
import type { PayoutDeps } from './deps.ts';
import { dropUnmatchedEvent, claimUnmatchedEvents, type UnmatchedEvent } from '../records/webhook-event-store.ts';
import { wakePayout } from '../records/lease-store.ts';

const mostAtOnce = 50;
/** A little more than two hours, each pause twice as long as the one before. */
const mostTries = 13;

const railOf: Readonly<Record<UnmatchedEvent['environment'], Rail>> = {
  sandbox: 'provider_sandbox',
  live: 'provider_production',
};

/** Tries again to find the payouts that webhooks were about; one that stays unknown is given up, loudly. */
export async function matchEvents(deps: PayoutDeps): Promise<void> {
  const at = deps.clock.now();
  for (const event of await claimUnmatchedEvents(deps.calls, at, mostAtOnce)) {
    const { environment, paymentId } = event;
    const orderId = event.orderId ?? (await orderOf(deps, event));
    const matched = orderId !== null && (await wakePayout(deps.calls, { environment, orderId, paymentId, at }));
    if (!matched && event.tries < mostTries) continue;
    if (!matched) deps.logger.error({ environment }, 'webhook.unmatched');
    await dropUnmatchedEvent(deps.calls, event);
  }
}

async function orderOf({ banks }: PayoutDeps, { environment, paymentId }: UnmatchedEvent): Promise<string | null> {
  const found = await banks[railOf[environment]]?.findPayment(paymentId);
  return found?.kind === 'found' ? found.payment.ourReference : null;
}
