import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { firstCaps, type CappedPartner, type CapsCast } from './caps-cast.ts';
import { compareCounters, judgeCaps, type Movement } from './caps-model.ts';

// What the tables say in the end, for the model to judge.

interface MovementRow {
  version: string;
  reason: string;
  payout_id: string;
  pence: string;
  key_id: string | null;
  idempotency_key: string;
  is_new_payee: boolean;
  at: Date;
}

async function readMovements(client: Client, partner: CappedPartner): Promise<Movement[]> {
  const { rows } = await client.query<MovementRow>(
    `select e.wallet_version as version, e.reason, p.id as payout_id, p.amount_pence as pence, p.api_key_id as key_id,
       p.idempotency_key, p.counted_new_payee as is_new_payee, h.at
     from kelpie.ledger_entries e
     join kelpie.payouts p on p.id = e.cause_id
     join kelpie.payout_history h on h.payout_id = p.id and e.transfer_id = any (h.transfer_ids)
     where e.partner_id = $1 and e.environment = $2 and e.account = 'wallet' order by e.wallet_version`,
    [partner.partnerId, partner.environment],
  );
  return rows.map((row) => ({
    version: Number(row.version),
    reason: row.reason,
    payoutId: row.payout_id,
    pence: BigInt(row.pence),
    keyId: row.key_id,
    account: partner.accountOf.get(row.idempotency_key) ?? 'unknown',
    isNewPayee: row.is_new_payee,
    at: row.at,
  }));
}

/** The counters, named as the model names them. */
async function readCounters(client: Client, partner: CappedPartner): Promise<Map<string, bigint>> {
  const { rows } = await client.query<{ day: string; key_id: string | null; order_key: string | null; spent: string }>(
    `select s.on_day::text as day, s.spent_pence as spent,
       (select k.id from kelpie.api_keys k where uuid_send(k.id) = s.subject) as key_id,
       (select p.idempotency_key from kelpie.payouts p where p.partner_id = s.partner_id
          and p.environment = s.environment and p.account_index = s.subject limit 1) as order_key
     from kelpie.daily_spending s where s.partner_id = $1 and s.environment = $2 and s.spent_pence > 0`,
    [partner.partnerId, partner.environment],
  );
  return new Map(
    rows.map(({ day, key_id: keyId, order_key: orderKey, spent }) => {
      const payee = orderKey === null ? null : `payee ${partner.accountOf.get(orderKey)}`;
      return [`${day} ${keyId === null ? (payee ?? 'daily') : `key ${keyId}`}`, BigInt(spent)];
    }),
  );
}

/** A commit that was under way when a payout arrived may have seen it, or not. */
const underWayMs = 20_000;

/** Whether each account was taken for new, as long as no payout to it was completed. */
async function judgeNewPayees(client: Client, { partnerId, environment, name }: CappedPartner): Promise<string[]> {
  const { rows } = await client.query<{ id: string; is_new: boolean }>(
    `select p.id, p.counted_new_payee as is_new
     from kelpie.payouts p
     join kelpie.payout_history h on h.payout_id = p.id and h.number = 1
     left join lateral (
       select min(q.completed_at) as at from kelpie.payouts q
       where q.partner_id = p.partner_id and q.environment = p.environment and q.account_index = p.account_index
     ) first on true
     where p.partner_id = $1 and p.environment = $2 and p.counted_on is not null and case
       when p.counted_new_payee then first.at < h.at - make_interval(secs => $3::float8 / 1000)
       else first.at is null or first.at > h.at + make_interval(secs => $3::float8 / 1000)
     end`,
    [partnerId, environment, underWayMs],
  );
  return rows.map(
    ({ id, is_new: isNew }) => `${name}: payout ${id} was taken for one to ${isNew ? 'a new' : 'a known'} payee`,
  );
}

/** All of it, once everything is quiet. */
export async function judgeCast({ world, partners }: CapsCast): Promise<string[]> {
  return asAdmin(world.database.superuserUrl, async (client) => {
    const violations: string[] = [];
    for (const partner of partners) {
      const { name, changes, keyCaps: keys, refusals } = partner;
      const movements = await readMovements(client, partner);
      const judged = judgeCaps({ name, caps: firstCaps, changes, keys, movements, refusals });
      const counters = await readCounters(client, partner);
      violations.push(
        ...judged.violations,
        ...compareCounters(name, counters, judged.counters),
        ...(await judgeNewPayees(client, partner)),
      );
    }
    return violations;
  });
}

/** How often what the run is about came about. */
export async function countSpending({ world }: CapsCast): Promise<Record<string, number>> {
  return asAdmin(world.database.superuserUrl, async (client) => {
    const { rows } = await client.query<Record<string, number>>(
      `select count(*)::int as payouts, count(distinct counted_on)::int as days,
         count(given_back_revision)::int as given_back, count(*) filter (where not counted_new_payee)::int as known_payees
       from kelpie.payouts`,
    );
    return rows[0] ?? {};
  });
}
