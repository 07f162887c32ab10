import { verifyLedger, type Verification } from '../ledger/index.ts';
import { openPool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';

export async function verifyWholeLedger(readerUrl: string, logger: Logger): Promise<Verification> {
  const pool = openPool({
    url: readerUrl,
    connections: 1,
    applicationName: 'kelpie-ledger-verify',
    logger,
    unhurried: true,
  });
  try {
    return await inTransaction(pool, 'shared', verifyLedger);
  } finally {
    await pool.end();
  }
}

export function describeVerification({ entries, transfers, wallets, differences }: Verification): string {
  const checked = `Checked ${entries} entries of ${transfers} transfers, and ${wallets} wallets:`;
  if (differences.length === 0) return `${checked} no differences.\n`;
  const rows = differences.map(
    ({ kind, what, expected, found }) => `  ${kind}: ${what}, expected ${expected}, found ${found}`,
  );
  return `${checked} ${differences.length} differences.\n${rows.join('\n')}\n`;
}
