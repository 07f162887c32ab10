import type { Logger } from '../../platform/logging.ts';
import { verifyAll, type WholeOptions, type WholeVerification } from '../verification/verify-all.ts';
import { withReader } from '../wiring/reader.ts';

/** Every closed day, unless the options choose. As the reading role. */
export async function verifyWholeLedger(
  readerUrl: string,
  logger: Logger,
  options: WholeOptions = { proof: null, store: null },
): Promise<WholeVerification> {
  return withReader(readerUrl, logger, async (pool) => verifyAll(pool, options), 'unhurried');
}
