import { verifyInvoices } from '../../billing/index.ts';
import { verifyLedger, type Verification } from '../../ledger/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import { withReader } from '../wiring/reader.ts';
import { counted } from './printing.ts';

export interface WholeVerification extends Verification {
  invoices: number;
}

async function verify(tx: Transaction): Promise<WholeVerification> {
  const ledger = await verifyLedger(tx);
  const { invoices, differences } = await verifyInvoices(tx);
  return { ...ledger, invoices, differences: [...ledger.differences, ...differences] };
}

/** Reads one snapshot, because payouts continue meanwhile. */
export async function verifyWholeLedger(readerUrl: string, logger: Logger): Promise<WholeVerification> {
  return withReader(readerUrl, logger, async (pool) => inTransaction(pool, 'shared', verify), 'unhurried');
}

export function describeVerification({
  entries,
  transfers,
  wallets,
  invoices,
  differences,
}: WholeVerification): string {
  const checked = `Checked ${entries} entries of ${transfers} transfers, ${wallets} wallets and ${counted(invoices, 'invoice')}:`;
  if (differences.length === 0) return `${checked} no differences.\n`;
  const rows = differences.map(
    ({ kind, what, expected, found }) => `  ${kind}: ${what}, expected ${expected}, found ${found}`,
  );
  return `${checked} ${counted(differences.length, 'difference')}.\n${rows.join('\n')}\n`;
}
