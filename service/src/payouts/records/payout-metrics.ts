import type { Meter } from '../../platform/metrics.ts';
import { instantOf } from '../../platform/ids.ts';
import type { Payout, PayoutState } from '../model/payout.ts';

/** Who hears of each state that a payout entered by a commit of this process. */
export interface PayoutMetrics {
  entered(payout: Pick<Payout, 'id' | 'environment'>, state: PayoutState, at: Date): void;
}

/** For commands and tests. */
export const noPayoutMetrics: PayoutMetrics = { entered: () => undefined };

/** From a second to a day: some banks pay at once, and some the next morning. */
const completionBuckets = {
  explicitBucketBoundaries: [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400,
  ],
};

export function createPayoutMetrics(meter: Meter): PayoutMetrics {
  const states = meter.createCounter('kelpie_payouts_total', { description: 'States that payouts entered' });
  const completion = meter.createHistogram('kelpie_payout_completion_seconds', {
    description: 'From the creation of a payout to its completion',
    advice: completionBuckets,
  });
  return {
    entered({ id, environment }, state, at) {
      states.add(1, { environment, state });
      if (state === 'completed')
        completion.record(Math.max(0, at.getTime() - instantOf(id).getTime()) / 1000, { environment });
    },
  };
}
