import type { SingleCalls } from '../../platform/database/single-call.ts';
import { readInPages } from '../../platform/read-in-pages.ts';
import { refreshVerification } from './refresh-verification.ts';
import type { VerificationDeps } from './deps.ts';
import { listDue, type DueVerification } from './store.ts';

const atOnce = 100;
/** What is due again at once, by news that came while the bank was asked, is looked at so often; then by the next round. */
const mostPasses = 5;

interface RefreshDeps extends VerificationDeps {
  calls: SingleCalls;
}

/** Looks at every verification that is due. One that could not be looked at does not keep the next from it. */
export async function refreshDueVerifications(deps: RefreshDeps, signal: AbortSignal): Promise<void> {
  for (let pass = 0; pass < mostPasses; pass += 1) {
    if ((await refreshAll(deps, signal)) === 0) return;
  }
}

/** Says how many it has looked at. */
async function refreshAll(deps: RefreshDeps, signal: AbortSignal): Promise<number> {
  const at = deps.clock.now();
  const dueNow = readInPages(
    async (afterId) => listDue(deps.calls, { at, afterId, atMost: atOnce }),
    ({ id }) => id,
    // The bank's ids: nothing is smaller than no text.
    '',
  );
  let polled = 0;
  for await (const due of dueNow) {
    // Another worker has the job by now.
    if (signal.aborted) return 0;
    if (await tryToRefresh(deps, due)) polled += 1;
  }
  return polled;
}

/** What fails is due again later, or still due: a next round tries it. */
async function tryToRefresh(deps: VerificationDeps, due: DueVerification): Promise<boolean> {
  const line = { partner_id: due.partnerId };
  try {
    const outcome = await refreshVerification(deps, due);
    if (outcome.kind === 'failed')
      deps.logger.warn({ ...line, error_code: outcome.text }, 'verification.not_refreshed');
    return outcome.kind === 'taken';
  } catch (error) {
    deps.logger.error({ ...line, error }, 'verification.not_refreshed');
    return false;
  }
}
