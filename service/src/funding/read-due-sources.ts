import { nilId } from '../platform/ids.ts';
import type { FundingDeps } from './deps.ts';
import { readSource } from './read-source.ts';
import { listDueSources, type DueSource } from './source-store.ts';

const sourcesAtOnce = 100;
/** How many answers of the bank are waited for at a time. Each may hold a connection, and payouts need those as well. */
const inHandAtOnce = 4;
/** What is due again at once, by news that came while it was read, is read so often; then by the next round. */
const mostPasses = 5;

/** Reads every source that is due. One that could not be read does not keep the next from it. */
export async function readDueSources(deps: FundingDeps, signal: AbortSignal): Promise<void> {
  for (let pass = 0; pass < mostPasses; pass += 1) {
    if ((await readOnce(deps, signal)) === 0) return;
  }
}

/** Says how many it has read. */
async function readOnce(deps: FundingDeps, signal: AbortSignal): Promise<number> {
  const at = deps.clock.now();
  let read = 0;
  let afterId = nilId;
  for (;;) {
    const page = await listDueSources(deps.calls, { at, afterId, atMost: sourcesAtOnce });
    const last = page.at(-1);
    if (last === undefined) return read;
    const waiting = [...page];
    const work = async (): Promise<void> => {
      for (let due = waiting.shift(); due !== undefined; due = waiting.shift()) {
        // Another worker has the job by now.
        if (signal.aborted) return;
        if (await tryToRead(deps, due)) read += 1;
      }
    };
    await Promise.all(Array.from({ length: inHandAtOnce }, work));
    if (signal.aborted) return 0;
    afterId = last.id;
  }
}

/** What fails is due again in a minute, or still due: the next round tries it. */
async function tryToRead(deps: FundingDeps, due: DueSource): Promise<boolean> {
  const line = { partner_id: due.partnerId, environment: due.environment };
  try {
    const outcome = await readSource(deps, due);
    if (outcome.kind === 'failed') deps.logger.warn({ ...line, error_code: outcome.text }, 'deposits.not_read');
    return outcome.kind === 'read';
  } catch (error) {
    deps.logger.error({ ...line, error }, 'deposits.not_read');
    return false;
  }
}
