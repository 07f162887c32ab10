import { verifyLedger, type Verification } from '../ledger/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { withReader } from './reader.ts';

export async function verifyWholeLedger(readerUrl: string, logger: Logger): Promise<Verification> {
  return withReader(readerUrl, logger, async (pool) => inTransaction(pool, 'shared', verifyLedger));
}

export function describeVerification({ entries, transfers, wallets, differences }: Verification): string {
  const checked = `Checked ${entries} entries of ${transfers} transfers, and ${wallets} wallets:`;
  if (differences.length === 0) return `${checked} no differences.\n`;
  const rows = differences.map(
    ({ kind, what, expected, found }) => `  ${kind}: ${what}, expected ${expected}, found ${found}`,
  );
  return `${checked} ${differences.length} differences.\n${rows.join('\n')}\n`;
}
