import { findAdminInvoice, type AdminInvoice } from '../../billing/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { idFrom } from './run-command.ts';

/** By its printed number, as KP-000012 or 12, or by its id. */
export async function getInvoice(tx: Transaction, text: string): Promise<AdminInvoice> {
  const [, digits] = /^(?:KP-)?(\d{1,12})$/i.exec(text) ?? [];
  const id = idFrom(text);
  const by = digits !== undefined ? { number: BigInt(digits) } : id !== undefined ? { id } : null;
  const found = by === null ? null : await findAdminInvoice(tx, by);
  if (found !== null) return found;
  throw new OperatorError(
    `No invoice has the number or id ${text}. \`kelpie-admin invoices list\` shows both.`,
    'not_found',
  );
}
