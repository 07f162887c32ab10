import { verifyCharges, verifyInvoices } from '../../billing/index.ts';
import { verifyDeposits } from '../../funding/index.ts';
import { verifyLedger, type DifferenceRow, type Verification } from '../../ledger/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import { verifyPayouts } from '../../payouts/index.ts';
import { verifyCorrections } from '../../reconciliation/index.ts';
import { withReader } from '../wiring/reader.ts';
import { counted } from './printing.ts';

export interface WholeVerification extends Verification {
  invoices: number;
}

/** Enough of each kind to see what kind of trouble it is. */
const mostDifferences = 100;

/** The sums of the ledger, and whatever causes its entries: each is held against the other. */
async function verify(tx: Transaction): Promise<WholeVerification> {
  const { differences: ofLedger, ...counts } = await verifyLedger(tx);
  const { invoices, differences: ofInvoices } = await verifyInvoices(tx);
  const ofCauses: DifferenceRow[] = [];
  for (const verifyCauses of [verifyPayouts, verifyDeposits, verifyCorrections, verifyCharges])
    ofCauses.push(...(await verifyCauses(tx, mostDifferences)));
  return { ...counts, invoices, differences: [...ofLedger, ...ofCauses, ...ofInvoices] };
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
