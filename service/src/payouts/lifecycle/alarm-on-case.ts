import type { Logger } from '../../platform/logging.ts';
import type { OpenCase } from '../model/transition.ts';

/** Whoever opens a case says so loudly, wherever the bank's news came from: a person has to look. */
export function alarmOnCase(logger: Logger, payoutId: string, openCase: OpenCase | undefined): void {
  if (openCase !== undefined) logger.error({ payout_id: payoutId, action: openCase.kind }, 'payout.needs_attention');
}
