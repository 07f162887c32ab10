import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { TestPartner } from '../harness/partners.ts';

/**
 * A completed payout of the simulated rail, so many times over for another partner, as the service would have left it: with its key,
 * history, entries and events. Only its recipient cannot be read, and its key says nothing of a body.
 */
const statements = (from: string): string[] => [
  // The triggers would refuse a payout that begins at its end.
  'set session_replication_role = replica',
  `create temp table filler as
   select i, kelpie.new_id_at(now()) as payout_id, gen_random_uuid() as order_id, 'history-' || i as key
   from generate_series(1, $1::int) i`,
  `create temp table transfers as
   select f.i, t.was, kelpie.new_id_at(now()) as id
   from filler f cross join (select distinct transfer_id as was from kelpie.ledger_entries where cause_id = ${from}) t`,
  'create index on transfers (i, was)',
  'analyze filler, transfers',
  `insert into kelpie.payouts
   select r.* from filler f join kelpie.payouts p on p.id = ${from}
   cross join lateral jsonb_populate_record(p, jsonb_build_object(
     'id', f.payout_id, 'partner_id', $1::uuid, 'order_id', f.order_id, 'idempotency_key', f.key, 'api_key_id', null
   )) r`,
  `insert into kelpie.payout_history
   select r.* from filler f join kelpie.payout_history h on h.payout_id = ${from}
   cross join lateral jsonb_populate_record(h, jsonb_build_object(
     'payout_id', f.payout_id, 'partner_id', $1::uuid, 'transfer_ids', array(
       select t.id from unnest(h.transfer_ids) with ordinality as m (was, place) join transfers t on t.was = m.was and t.i = f.i
       order by m.place
     )
   )) r`,
  `insert into kelpie.idempotency_keys
   select r.* from filler f join kelpie.idempotency_keys k on k.payout_id = ${from}
   cross join lateral jsonb_populate_record(k, jsonb_build_object(
     'order_id', f.order_id, 'partner_id', $1::uuid, 'key', f.key, 'payout_id', f.payout_id
   )) r`,
  `insert into kelpie.ledger_entries
   select t.id, e.line, $1, e.environment, e.account, e.amount, e.reason, f.payout_id,
     case e.account when 'wallet' then w.balance_micro_usdc - f.i * e.amount end,
     case e.account when 'wallet' then w.version + f.i end
   from filler f join transfers t on t.i = f.i join kelpie.ledger_entries e on e.transfer_id = t.was
   join kelpie.wallets w on w.partner_id = $1 and w.environment = e.environment`,
  `update kelpie.wallets w set balance_micro_usdc = n.wallet_balance_after, version = n.wallet_version
   from kelpie.ledger_entries n
   where w.partner_id = $1 and n.partner_id = w.partner_id and n.environment = w.environment and n.account = 'wallet'
     and n.wallet_version = (
       select max(e.wallet_version) from kelpie.ledger_entries e
       where e.partner_id = w.partner_id and e.environment = w.environment and e.account = 'wallet'
     )`,
  `insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
   select $1, e.environment, e.type, f.payout_id, e.version, e.at
   from filler f join kelpie.events e on e.subject_id = ${from}
   order by f.i, e.version`,
];

/** Before anything else is paid by this partner, and by a partner that has paid. Returns what it took of the bank wallet in the books. */
export async function fillHistory(
  { superuserUrl }: TestDatabase,
  { partnerId }: TestPartner,
  { from, payouts }: { from: string; payouts: number },
): Promise<bigint> {
  return asAdmin(superuserUrl, async (client) => {
    await client.query('begin');
    for (const text of statements(client.escapeLiteral(from))) {
      const values: (string | number)[] = text.includes('generate_series')
        ? [payouts]
        : text.includes('$1')
          ? [partnerId]
          : [];
      await client.query(text, values);
    }
    await client.query('commit');
    const { rows } = await client.query<{ taken: string }>(
      `select bank_debited_micro_usdc * $2 as taken from kelpie.payouts where id = $1`,
      [from, payouts],
    );
    return BigInt(rows[0]?.taken ?? '0');
  });
}
