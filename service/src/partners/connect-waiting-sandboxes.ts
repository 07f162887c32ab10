import type { BankCustomers } from '../banks/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { connectSandbox } from './connect-sandbox.ts';
import { listWaiting } from './store.ts';

interface Deps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  bank: BankCustomers;
}

const firstId = '00000000-0000-0000-0000-000000000000';
const partnersAtOnce = 100;

/**
 * Connects every sandbox that waits. One that can't be connected does not keep the next from it; in the end it is an error,
 * so that the job is tried again soon. What waits then still waits for the next round.
 */
export async function connectWaitingSandboxes(deps: Deps, signal: AbortSignal): Promise<void> {
  let failed = 0;
  let after = firstId;
  for (;;) {
    const page = await inTransaction(deps.pool, 'shared', async (tx) => listWaiting(tx, after, partnersAtOnce));
    const last = page.at(-1);
    if (last === undefined) break;
    for (const partnerId of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      if (!(await tryToConnect(deps, partnerId))) failed += 1;
    }
    after = last;
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
