import { openFunding } from './open-funding.ts';
import type { FundingParts } from './parts.ts';
import { listSidesToFund, type SideToFund } from './store.ts';

type Parts = Pick<FundingParts, 'pool' | 'calls' | 'clock' | 'logger' | 'sealer' | 'banks'>;

const firstId = '00000000-0000-0000-0000-000000000000';
const partnersAtOnce = 100;

/**
 * Every partner at a bank gets somewhere to send its top-ups to, those from before there were any as well. One that can't be
 * given it just now does not keep the next from it, and has its turn again in the next round.
 */
export async function openWaitingFunding(parts: Parts, signal: AbortSignal): Promise<void> {
  let afterPartner = firstId;
  for (;;) {
    const page = await listSidesToFund(parts.calls, { afterPartner, atMost: partnersAtOnce });
    const last = page.at(-1);
    if (last === undefined) return;
    for (const side of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      await tryToOpen(parts, side);
    }
    afterPartner = last.partnerId;
  }
}

async function tryToOpen(parts: Parts, side: SideToFund): Promise<void> {
  const line = { partner_id: side.partnerId, environment: side.environment };
  const bank = parts.banks[side.rail];
  if (bank === null) return;
  try {
    const outcome = await openFunding(parts, bank, side);
    if (outcome.kind === 'opened') parts.logger.info(line, 'funding.opened');
    else parts.logger.warn({ ...line, error_code: outcome.text }, 'funding.not_opened');
  } catch (error) {
    parts.logger.error({ ...line, error }, 'funding.not_opened');
  }
}
