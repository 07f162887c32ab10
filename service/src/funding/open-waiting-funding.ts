import type { EnvironmentAtBank } from '../partners/index.ts';
import { readInPages } from '../platform/read-in-pages.ts';
import { openFunding } from './open-funding.ts';
import type { FundingDeps } from './deps.ts';
import { listEnvironmentsToFund } from './source-store.ts';

type Deps = Pick<FundingDeps, 'pool' | 'calls' | 'clock' | 'logger' | 'encryptor' | 'banks'>;

const partnersAtOnce = 100;

/**
 * Every partner at a bank gets somewhere to send its top-ups to, those from before there were any as well. One that can't be
 * given it just now does not keep the next from it, and has its turn again in the next round.
 */
export async function openWaitingFunding(deps: Deps, signal: AbortSignal): Promise<void> {
  const lacking = readInPages(
    async (afterPartner) => listEnvironmentsToFund(deps.calls, { afterPartner, atMost: partnersAtOnce }),
    ({ partnerId }) => partnerId,
  );
  for await (const environmentAtBank of lacking) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    await tryToOpen(deps, environmentAtBank);
  }
}

async function tryToOpen(deps: Deps, partnerEnvironment: EnvironmentAtBank): Promise<void> {
  const line = { partner_id: partnerEnvironment.partnerId, environment: partnerEnvironment.environment };
  const bank = deps.banks[partnerEnvironment.rail];
  if (bank === null) return;
  try {
    const outcome = await openFunding(deps, bank, partnerEnvironment);
    if (outcome.kind === 'opened') deps.logger.info(line, 'funding.opened');
    else deps.logger.warn({ ...line, error_code: outcome.text }, 'funding.not_opened');
  } catch (error) {
    deps.logger.error({ ...line, error }, 'funding.not_opened');
  }
}
