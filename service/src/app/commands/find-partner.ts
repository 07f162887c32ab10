import { findPartner, type AdminPartner } from '../../partners/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';

/** By slug or id. */
export async function getPartner(tx: Transaction, slugOrId: string): Promise<AdminPartner> {
  const partner = await findPartner(tx, slugOrId);
  if (partner !== null) return partner;
  throw new OperatorError(
    `No partner has the slug or id ${slugOrId}. \`kelpie-admin partners list\` shows both.`,
    'not_found',
  );
}

/** The partner id to filter a list by; null for all partners. */
export async function partnerFilter(tx: Transaction, slugOrId: string | undefined): Promise<string | null> {
  return slugOrId === undefined ? null : (await getPartner(tx, slugOrId)).id;
}
