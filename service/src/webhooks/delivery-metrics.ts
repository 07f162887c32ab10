import { instantOf } from '../platform/ids.ts';
import type { Meter } from '../platform/metrics.ts';
import type { Attempt, ClaimedDelivery } from './delivery-store.ts';

export interface DeliveryMetrics {
  attempted(delivery: ClaimedDelivery, attempt: Attempt): void;
}

const delayBuckets = {
  explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600],
};

/** The event is numbered, and its delivery due, in one commit: what is due later waited for its partner. */
const sameCommitMs = 1_000;

/** Whether it could be sent from the first: no earlier delivery and no failing or busy endpoint held it back. */
function isDueFromTheFirst({ attempt, dueAt, event }: ClaimedDelivery): boolean {
  return attempt === 1 && dueAt.getTime() - instantOf(event.id).getTime() < sameCommitMs;
}

export function createDeliveryMetrics(meter: Meter): DeliveryMetrics {
  const attempts = meter.createCounter('kelpie_webhook_attempts_total', {
    description: 'Attempts to deliver an event',
  });
  const delay = meter.createHistogram('kelpie_webhook_delay_seconds', {
    description:
      'From the commit of an event to the first attempt to deliver it, where its partner did not hold it back',
    advice: delayBuckets,
  });
  return {
    attempted(delivery, { begunAt, status }) {
      attempts.add(1, { outcome: status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed' });
      if (!isDueFromTheFirst(delivery)) return;
      const delayMs = begunAt.getTime() - delivery.event.at.getTime();
      delay.record(Math.max(0, delayMs) / 1000, { environment: delivery.environment });
    },
  };
}
