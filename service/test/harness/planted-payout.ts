import { randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { PayoutState } from '../../src/payouts/model/payout.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from './database.ts';

/** A payout in any state, with its key and its first row of history. No rule that a trigger keeps is asked. */
export async function plantPayout(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId, environment }: PartnerContext,
  state: PayoutState,
  { id = newId(systemClock) }: { id?: string } = {},
): Promise<{ id: string; orderId: string; key: string }> {
  const orderId = randomUUID();
  const key = randomUUID();
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into kelpie.payouts (
         id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
         bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
         price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by,
         bank_payment_id, bank_debited_micro_usdc, failure_code, failure_reason, updated_at, completed_at
       ) values (
         $1, $2, $3::kelpie.environment, (case $3::kelpie.environment when 'live' then 'provider_production' else 'provider_sandbox' end)::kelpie.rail, $4::kelpie.payout_state, 1, 1,
         $6, $5, 1, now(), 'KP', 100, 100, 51, 1920000, 790000, 'standard-1', 'Ada Byron', '5678', '\\x01',
         decode(repeat('00', 32), 'hex'), 'api', 'kp_sandbox_00000000',
         case when $4::kelpie.payout_state not in ('sending', 'pending', 'not_created') then 't1' end,
         case when $4::kelpie.payout_state not in ('sending', 'pending', 'not_created') then 1910000 end,
         case when $4::kelpie.payout_state in ('failed', 'returned') then 'unknown' end,
         case when $4::kelpie.payout_state in ('failed', 'returned') then 'The bank did not say why.' end,
         now(), case when $4::kelpie.payout_state = 'completed' then now() end
       )`,
      [id, partnerId, environment, state, orderId, key],
    );
    await client.query(
      `insert into kelpie.payout_history (payout_id, number, partner_id, environment, at, state, what, by, attempt, transfer_ids)
       values ($1, 1, $2, $3, now(), $4, 'created', 'test', 1, '{}')`,
      [id, partnerId, environment, state],
    );
    await client.query(
      `insert into kelpie.idempotency_keys (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
       values ($1, $2, $3, $4, $5, '\\x01', now())`,
      [orderId, partnerId, environment, key, id],
    );
  });
  return { id, orderId, key };
}
