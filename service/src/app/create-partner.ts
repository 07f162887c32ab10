import { createApiKey, createPepper } from '../access/index.ts';
import { openSandbox } from '../partners/index.ts';
import type { Clock } from '../platform/clock.ts';
import { openPool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import { OperatorError } from '../platform/operator-error.ts';

interface Parts {
  serviceUrl: string;
  pepper: Buffer;
  clock: Clock;
  logger: Logger;
}

export async function createPartner(
  { serviceUrl, pepper, clock, logger }: Parts,
  { slug, name }: { slug: string; name: string },
): Promise<{ id: string; slug: string; key: string }> {
  if (!/^[a-z0-9-]{2,40}$/.test(slug))
    throw new OperatorError('--slug takes 2 to 40 small letters, digits and hyphens.');
  if (name.trim() === '' || name.length > 120) throw new OperatorError('--name takes 1 to 120 characters.');
  const pool = openPool({ url: serviceUrl, connections: 1, applicationName: 'kelpie-cli', logger });
  const id = newId(clock);
  try {
    return await inTransaction(pool, { partnerId: id, environment: 'sandbox' }, async (tx) => {
      const side = await openSandbox(tx, clock, { id, slug, name });
      const { secret } = await createApiKey(tx, { clock, pepper: createPepper(pepper) }, { ...side, label: null });
      return { id, slug, key: secret };
    });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'constraint') === 'partners_slug_key')
      throw new OperatorError(`There is a partner with the slug ${slug} already.`);
    throw error;
  } finally {
    await pool.end();
  }
}
