import { ledgerEvents, postTransfers } from '../src/ledger/index.ts';
import type { MicroUsdc } from '../src/money/amounts.ts';
import type { Clock } from '../src/platform/clock.ts';
import { openPool } from '../src/platform/database/pool.ts';
import { inTransaction } from '../src/platform/database/transaction.ts';
import { newId } from '../src/platform/ids.ts';
import { createLogger } from '../src/platform/logging.ts';
import type { TestDatabase } from '../test/harness/database.ts';

/** The same for each partner, by the ledger itself: the books of these databases hold as those of any other. */
export async function depositForAll(
  database: Pick<TestDatabase, 'serviceUrl'>,
  partnerIds: readonly string[],
  amount: MicroUsdc,
  clock: Clock,
): Promise<void> {
  const logger = createLogger('bench', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'bench', logger });
  const transfers = partnerIds.map((partnerId) => {
    const id = newId(clock);
    const lines = ledgerEvents.deposit(amount);
    return { id, causeId: id, partnerId, environment: 'sandbox' as const, reason: 'sandbox.float', lines };
  });
  try {
    await inTransaction(pool, 'batch', async (tx) => postTransfers(tx, transfers));
  } finally {
    await pool.end();
  }
}
