import { randomBytes } from 'node:crypto';
import type { Pool } from '../database/pool.ts';
import { inUndoneTransaction } from '../database/transaction.ts';
import { vouchForAct } from './store.ts';

/**
 * Lets work that runs as the service's role note what it does, while a connection of the operator's role vouches for it. The
 * work's own transaction decides whether it is done: this one has nothing to commit.
 */
export async function vouching<Done>(operators: Pool, work: (voucher: Buffer) => Promise<Done>): Promise<Done> {
  const { done } = await inUndoneTransaction(operators, 'shared', async (tx) => {
    const voucher = randomBytes(32);
    await vouchForAct(tx, voucher);
    return { done: await work(voucher) };
  });
  return done;
}
