import { patterns } from '../http/patterns.ts';
import { createApiKey, createPepper } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import { openPool, type Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { startJobSender } from '../platform/jobs.ts';
import type { Logger } from '../platform/logging.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { openPartner } from './open-partner.ts';

interface Parts {
  serviceUrl: string;
  pepper: Buffer;
  clock: Clock;
  logger: Logger;
}

interface NewPartner {
  slug: string;
  name: string;
}

interface Made {
  id: string;
  slug: string;
  key: string;
}

export async function createPartner(parts: Parts, { slug, name }: NewPartner): Promise<Made> {
  if (!new RegExp(patterns.slug).test(slug))
    throw new OperatorError('--slug takes 2 to 40 small letters, digits and hyphens.');
  if (name.trim() === '' || name.length > 120) throw new OperatorError('--name takes 1 to 120 characters.');
  // One for the transaction, and one for what the job engine looks up meanwhile.
  const pool = openPool({ url: parts.serviceUrl, connections: 2, applicationName: 'kelpie-cli', logger: parts.logger });
  try {
    return await writePartner(pool, parts, { slug, name });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'constraint') === 'partners_slug_key')
      throw new OperatorError(`There is a partner with the slug ${slug} already.`);
    throw error;
  } finally {
    await pool.end();
  }
}

/** The partner, its key, and the job that connects its sandbox: one commit. */
async function writePartner(pool: Pool, { clock, logger, pepper }: Parts, { slug, name }: NewPartner): Promise<Made> {
  const id = newId(clock);
  const jobs = await startJobSender(pool, logger);
  try {
    return await inTransaction(pool, { partnerId: id, environment: 'sandbox' }, async (tx) => {
      const side = await openPartner(tx, { clock, jobs }, { id, slug, name });
      const { secret } = await createApiKey(tx, { clock, pepper: createPepper(pepper) }, { ...side, label: null });
      return { id, slug, key: secret };
    });
  } finally {
    await jobs.stop();
  }
}
