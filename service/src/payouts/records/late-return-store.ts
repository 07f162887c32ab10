import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';

/** Up to when the bank's list of the transaction's partner was searched; null where it never was. */
export async function findSearchedUntil(tx: Transaction): Promise<Date | null> {
  const { rows } = await tx.query<{ searched_until: Date }>('select searched_until from kelpie.late_return_searches');
  return rows[0]?.searched_until ?? null;
}

export async function recordSearch(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  until: Date,
): Promise<void> {
  await tx.query(
    `insert into kelpie.late_return_searches (partner_id, environment, searched_until) values ($1, $2, $3)
     on conflict (partner_id, environment) do update set searched_until = excluded.searched_until`,
    [partnerId, environment, until],
  );
}
