import type { BankCustomers } from '../banks/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { readInPages } from '../platform/read-in-pages.ts';
import { connectSandbox } from './connect-sandbox.ts';
import { listWaiting } from './store.ts';

interface Deps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  bank: BankCustomers;
}

const partnersAtOnce = 100;

/**
 * Connects every sandbox that waits. One that can't be connected does not keep the next from it; in the end it is an error,
 * so that the job is tried again soon. What waits then still waits for the next round.
 */
export async function connectWaitingSandboxes(deps: Deps, signal: AbortSignal): Promise<void> {
  const waiting = readInPages(
    async (after) => inTransaction(deps.pool, 'shared', async (tx) => listWaiting(tx, after, partnersAtOnce)),
    (partnerId) => partnerId,
  );
  let failed = 0;
  for await (const partnerId of waiting) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    if (!(await tryToConnect(deps, partnerId))) failed += 1;
  }
  if (failed > 0) throw new Error(`${failed} sandboxes could not be connected`);
}

/** Says false where it has to be tried again. */
async function tryToConnect(deps: Deps, partnerId: string): Promise<boolean> {
  const line = { partner_id: partnerId, environment: 'sandbox' };
  try {
    const outcome = await connectSandbox(deps, partnerId);
    if (outcome.kind === 'connected') deps.logger.info(line, 'sandbox.connected');
    if (outcome.kind === 'failed') deps.logger.warn({ ...line, error_code: outcome.text }, 'sandbox.not_connected');
    return outcome.kind !== 'failed';
  } catch (error) {
    deps.logger.error({ ...line, error }, 'sandbox.not_connected');
    return false;
  }
}
