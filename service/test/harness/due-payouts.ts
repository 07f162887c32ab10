import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from './database.ts';
import { plantPayout } from './planted-payout.ts';

interface DueOptions {
  count: number;
  /** When the first of them is due, and how far apart they are. */
  from?: Date;
  apartMs?: number;
}

/** Open payouts that the bank has, due at these moments; in one round trip, as copies of one that is planted. */
export async function plantDuePayouts(
  database: Pick<TestDatabase, 'superuserUrl'>,
  partner: PartnerContext,
  { count, from = systemClock.now(), apartMs = 0 }: DueOptions,
): Promise<string[]> {
  const { id } = await plantPayout(database, partner, 'processing');
  const ids = Array.from({ length: count }, () => newId(systemClock));
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into kelpie.payouts select (jsonb_populate_record(p, jsonb_build_object(
         'id', copy.id, 'order_id', gen_random_uuid(), 'idempotency_key', copy.id::text
       ))).* from kelpie.payouts p cross join unnest($2::uuid[]) as copy (id) where p.id = $1`,
      [id, ids],
    );
    await client.query(
      `insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
       select copy.id, $2, $3, $4::timestamptz + (copy.place - 1) * $5 * interval '1 millisecond', '-infinity'
       from unnest($1::uuid[]) with ordinality as copy (id, place)`,
      [ids, partner.partnerId, partner.environment, from, apartMs],
    );
    await client.query('analyze kelpie.payout_leases');
  });
  return ids;
}

/** From now on the database notes when each payout was first claimed, by its own clock, and when it was due. */
export async function noteClaims(database: Pick<TestDatabase, 'superuserUrl'>): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`
      create table public.claims (payout_id uuid primary key, partner_id uuid, due_at timestamptz, claimed_at timestamptz);
      create function public.note_claim() returns trigger language plpgsql security definer as $$
      begin
        insert into public.claims values (new.payout_id, new.partner_id, old.due_at, clock_timestamp()) on conflict do nothing;
        return new;
      end $$;
      create trigger note_claim after update on kelpie.payout_leases
        for each row when (new.claims = old.claims + 1) execute function public.note_claim();
    `),
  );
}

/** How long after they were due a partner's payouts were claimed, shortest first. */
export async function delaysOf(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId }: Pick<PartnerContext, 'partnerId'>,
): Promise<number[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ ms: number }>(
      `select (extract(epoch from claimed_at - due_at) * 1000)::float8 as ms from public.claims where partner_id = $1 order by 1`,
      [partnerId],
    );
    return rows.map(({ ms }) => ms);
  });
}
