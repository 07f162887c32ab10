import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { stack } from './stack.ts';

interface Planted {
  slug: string;
  count: number;
  /** Over how many days before `until`, which is now unless it is said. */
  days: number;
  until?: Date;
  environment?: 'sandbox' | 'live';
}

/** The months before this one, of a table that keeps a part for each. */
export async function makeMonths(table: 'payouts' | 'ledger_entries'): Promise<void> {
  await asAdmin(stack.databaseUrl, async (client) => {
    for (let back = 0; back <= 2; back += 1) {
      await client.query(
        `select kelpie.make_month_partition($2, date_trunc('month', now() at time zone 'UTC' - make_interval(months => $1)) at time zone 'UTC')`,
        [back, table],
      );
    }
  });
}

type PlantedState = 'failed' | 'returned' | 'cancelled' | 'completed';

/** The rule by which they end, as the query below has it. */
function stateOf(i: number): PlantedState {
  if (i % 23 === 7) return 'failed';
  if (i % 61 === 30) return 'returned';
  return i % 97 === 50 ? 'cancelled' : 'completed';
}

/** The references of all that were planted and ended so, the newest first. */
export function referencesOf(count: number, state: PlantedState): string[] {
  return Array.from({ length: count }, (_, i) => i)
    .filter((i) => stateOf(i) === state)
    .map((i) => `Order ${10_000 + count - i}`);
}

/**
 * Payouts of days that are over, which no test can wait for. Only what lists and charts read is written: no ledger. The
 * service itself would never make one like this.
 */
export async function plantPayouts({ slug, count, days, ...more }: Planted): Promise<void> {
  const { until = new Date(), environment = 'sandbox' } = more;
  await makeMonths('payouts');
  await asAdmin(stack.databaseUrl, async (client) => {
    // For this connection alone, as a superuser: the triggers would refuse a payout that begins at its end.
    await client.query('set session_replication_role = replica');
    await client.query(
      `with planted as (
         select i, $4::timestamptz - make_interval(secs => (i + 0.5) / $2::float8 * $3::float8 * 86400) as at,
           (array['Ada Byron', 'Grace Hopper', 'Mary Somerville', 'Rosalind Franklin', 'Dorothy Hodgkin', 'Tideway Beans Ltd'])[1 + i % 6] as name,
           ((i * 7919) % 48000 + 1200)::bigint as pence,
           case when i % 23 = 7 then 'failed' when i % 61 = 30 then 'returned' when i % 97 = 50 then 'cancelled' else 'completed' end as state
         from generate_series(0, $2::int - 1) i
       ), timed as (
         select *, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')) as ms from planted
       )
       insert into kelpie.payouts (
         id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
         reference, bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
         price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by, bank_payment_id,
         bank_state, bank_debited_micro_usdc, failure_code, failure_reason, updated_at, completed_at
       )
       select (substr(t.ms, 1, 8) || '-' || substr(t.ms, 9, 4) || '-7' || substr(md5(p.id::text || $5::text || t.i), 1, 3) || '-8' || substr(md5(p.id::text || $5::text || t.i), 4, 3) || '-' || substr(md5(p.id::text || $5::text || t.i), 7, 12))::uuid,
         p.id, $5::text::kelpie.environment,
         (case $5::text when 'live' then 'provider_production' else 'provider_sandbox' end)::kelpie.rail, t.state::kelpie.payout_state, 2, 1,
         'planted-' || t.i, md5(p.id::text || $5::text || 'order' || t.i)::uuid, 1, t.at,
         'Order ' || (10000 + $2::int - t.i), 'Order ' || (10000 + $2::int - t.i), t.pence, 99 + t.pence / 100, 50 + t.pence / 200,
         (t.pence + 50 + t.pence / 200) * 1000000 / 79 / 10000 * 10000 + 10000, 790000, 'standard-1', t.name,
         lpad((1 + (t.i % 6) * 1111)::text, 4, '0'), 'planted'::bytea, sha256(('planted' || t.i % 6)::bytea),
         case when t.i % 5 = 0 then 'dashboard' else 'api' end, 'kp_' || $5::text || '_planted', 'planted-' || t.i, 'planted',
         (t.pence + 50) * 10000, case when t.state in ('failed', 'returned') then 'account_closed' end,
         case when t.state in ('failed', 'returned') then 'The recipient''s account is closed.' end,
         t.at + interval '3 seconds', case when t.state = 'completed' then t.at + interval '3 seconds' end
       from timed t cross join kelpie.partners p where p.slug = $1`,
      [slug, count, days, until, environment],
    );
    await client.query('analyze kelpie.payouts');
  });
}
