import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents, postTransfers } from '../../src/ledger/index.ts';
import type { Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';

/** Partners with a live environment since some instant. */
export async function createBilledPartners(
  database: Pick<TestDatabase, 'superuserUrl'>,
  count: number,
  since: Date,
): Promise<PartnerContext[]> {
  const partners = await createPartners(database, count, 'live');
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.partner_environments set created_at = $2 where partner_id = any ($1)', [
      partners.map(({ partnerId }) => partnerId),
      since,
    ]),
  );
  return partners;
}

/** As a payout that has arrived leaves it, as far as it is charged. */
export async function chargePayout(
  pool: Pool,
  partnerEnvironment: PartnerContext,
  { at, invoiceShare, network }: { at: Date; invoiceShare: bigint; network: bigint },
): Promise<void> {
  const id = newId({ now: () => at });
  const lines = [...ledgerEvents.feeEarned({ invoiceShare }), ...ledgerEvents.networkFeeAccrued(network)];
  await inTransaction(pool, partnerEnvironment, async (tx) =>
    postTransfers(tx, [
      { id, ...partnerEnvironment, reason: 'payout.arrived', causeId: newId({ now: () => at }), lines },
    ]),
  );
}

export interface IssuedInvoice {
  partner_id: string;
  number: number;
  period: string;
  total: number;
}

export async function listIssued({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<IssuedInvoice[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<IssuedInvoice>(
      'select partner_id, number::int, period, total_pence::int as total from kelpie.invoices order by number',
    );
    return rows;
  });
}
