import { findPartner, type AdminPartner } from '../../partners/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';

/** By its short name, or its id. */
export async function getPartner(tx: Transaction, slugOrId: string): Promise<AdminPartner> {
  const partner = await findPartner(tx, slugOrId);
  if (partner !== null) return partner;
  throw new OperatorError(
    `There is no partner ${slugOrId}. Say its short name or its id: \`kelpie-admin partners list\` shows both.`,
    'not_found',
  );
}

/** The id of the partner that a list is about; null where it is about all. */
export async function partnerFilter(tx: Transaction, slugOrId: string | undefined): Promise<string | null> {
  return slugOrId === undefined ? null : (await getPartner(tx, slugOrId)).id;
}
