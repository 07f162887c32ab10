import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { findPartnerId } from '../partners/index.ts';
import { withReader } from './reader.ts';

/** The id of a partner by the short name that people know it by. */
export async function lookUpPartner(readerUrl: string, logger: Logger, slug: string): Promise<string> {
  const id = await withReader(readerUrl, logger, async (pool) =>
    inTransaction(pool, 'shared', async (tx) => findPartnerId(tx, slug)),
  );
  if (id === null) throw new OperatorError(`There is no partner with the slug ${slug}.`);
  return id;
}
