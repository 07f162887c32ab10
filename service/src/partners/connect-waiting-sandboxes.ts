import type { BankCustomers } from '../banks/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { connectSandbox } from './connect-sandbox.ts';
import { listWaiting } from './store.ts';

interface Parts {
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
export async function connectWaitingSandboxes(parts: Parts, signal: AbortSignal): Promise<void> {
  let failed = 0;
  let after = firstId;
  for (;;) {
    const page = await inTransaction(parts.pool, 'shared', async (tx) => listWaiting(tx, after, partnersAtOnce));
    const last = page.at(-1);
    if (last === undefined) break;
    for (const partnerId of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      if (!(await tryToConnect(parts, partnerId))) failed += 1;
    }
    after = last;
  }
  if (failed > 0) throw new Error(`${failed} sandboxes could not be connected`);
}

/** Says false where it has to be tried again. */
async function tryToConnect(parts: Parts, partnerId: string): Promise<boolean> {
  const line = { partner_id: partnerId, environment: 'sandbox' };
  try {
    const outcome = await connectSandbox(parts, partnerId);
    if (outcome.kind === 'connected') parts.logger.info(line, 'sandbox.connected');
    if (outcome.kind === 'failed') parts.logger.warn({ ...line, error_code: outcome.text }, 'sandbox.not_connected');
    return outcome.kind !== 'failed';
  } catch (error) {
    parts.logger.error({ ...line, error }, 'sandbox.not_connected');
    return false;
  }
}
