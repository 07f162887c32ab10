import { randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import type { BenchPartners } from './bench-partners.ts';
import { freshIdSql, scatteredIdSql, type NumberedIds } from './numbered-ids.ts';
import type { BareScript } from './pgbench.ts';

/**
 * What every call of create_payout has in common, by the names of its arguments. It is read from what the API itself wrote
 * of a payout: amounts, lines and the sizes of digests and of what is sealed are then those of the API, and stay so.
 */
export type CallValues = ReadonlyMap<string, string>;

const valuesSql = `
  select k.fingerprint::text as new_fingerprint, p.rail::text as on_rail, p.state::text as first_state,
    p.reference as new_reference, p.bank_reference as new_bank_reference, p.amount_pence::text as new_amount_pence,
    p.fee_pence::text as new_fee_pence, p.bank_share_pence::text as new_bank_share_pence,
    p.wallet_sends_micro_usdc::text as new_wallet_sends_micro_usdc,
    p.gbp_per_usd_millionths::text as new_gbp_per_usd_millionths, p.price_plan as new_price_plan,
    p.recipient_name as new_recipient_name, p.account_last4 as new_account_last4,
    p.recipient_sealed::text as new_recipient_sealed, p.account_index::text as new_account_index,
    p.created_via as new_created_via, p.created_by as new_created_by, p.bank_payment_id as new_bank_payment_id,
    p.bank_state as new_bank_state, p.bank_took_micro_usdc::text as new_bank_took_micro_usdc, books.*,
    a.status::text as activity_status
  from kelpie.payouts p
  join kelpie.idempotency_keys k on k.payout_id = p.id
  join kelpie.activity a on a.detail = p.id::text
  cross join lateral (
    select array_agg(line order by reason = 'payout.hold' desc, line)::text as lines,
      array_agg(account order by reason = 'payout.hold' desc, line)::text as accounts,
      array_agg(amount order by reason = 'payout.hold' desc, line)::text as amounts,
      array_agg(reason order by reason = 'payout.hold' desc, line)::text as reasons
    from kelpie.ledger_entries where cause_id = p.id
  ) books
  where p.id = $1`;

export async function readCallValues(
  database: Pick<TestDatabase, 'superuserUrl'>,
  payoutId: string,
): Promise<CallValues> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<Record<string, string | null>>(valuesSql, [payoutId]),
  );
  const entries = Object.entries(rows[0] ?? {}).map(([name, value]): [string, string] => {
    if (value === null) throw new Error(`the payout that is taken for a pattern has no ${name}`);
    return [name, value];
  });
  if (entries.length === 0) throw new Error('the payout that is taken for a pattern is not there');
  return new Map(entries);
}

/** Expressions for what differs from payout to payout. */
interface CallIds {
  partner: string;
  apiKey: string;
  /** The payout's; its activity and its first transfer have it too, each in a table of its own. */
  payout: string;
  secondTransfer: string;
  order: string;
}

/** The same call as the service makes it, where the rail answers at once: one statement, one transaction. */
function createStatement(ids: CallIds, values: CallValues, place: (name: string, value: string) => string): string {
  // A transfer begins with its line 1.
  const lines = (values.get('lines') ?? '').replace(/[{}]/g, '').split(',');
  const transferIds = lines.map((_, at) =>
    lines.slice(0, at + 1).filter((line) => line === '1').length === 1 ? 'ids.payout' : 'ids.second_transfer',
  );
  const given = [...values].map(([name, value]) => `${name} => ${place(name, value)}`);
  return `select made.* from (
    select ${ids.partner} as partner, ${ids.apiKey} as api_key, ${ids.payout} as payout,
      ${ids.secondTransfer} as second_transfer, ${ids.order} as order_id
    offset 0
  ) ids, lateral kelpie.create_payout(
    of_partner => ids.partner, of_environment => 'sandbox', api_key_id => ids.api_key, new_payout_id => ids.payout,
    new_order_id => ids.order_id, new_key => ids.order_id::text, at => now(), new_failure_code => null,
    new_failure_reason => null, new_leased_until => now(), new_due_at => now() + make_interval(secs => 3),
    transfer_ids => array[${transferIds.join(', ')}], activity_id => ids.payout, ${given.join(', ')}
  ) made`;
}

const belowTwoTo62 = '4611686018427387903';

/** For any of the partners, or for the first alone, whose wallet is then a hot one. */
export function createScript(partners: BenchPartners, values: CallValues, on: 'many' | 'hot'): BareScript {
  const ids = {
    partner: partners.ids.sql(':who'),
    apiKey: partners.keyIds.sql(':who'),
    payout: freshIdSql(':id'),
    secondTransfer: freshIdSql(':other'),
    order: scatteredIdSql(':order', ':id'),
  };
  return {
    draws: [
      `set who random(0, ${on === 'many' ? partners.count - 1 : 0})`,
      `set id random(0, ${belowTwoTo62})`,
      `set other random(0, ${belowTwoTo62})`,
      `set order random(0, ${belowTwoTo62})`,
    ],
    statement: createStatement(ids, values, (name) => `:${name}`),
    values,
    makesPayouts: true,
  };
}

/**
 * The first few partners have as many payouts to read as a list shows. The number of one is that of its partner, times
 * these, plus one's own.
 */
export const plantedAPartner = 50;
const mostReaders = 40;

export function readersOf({ count }: Pick<BenchPartners, 'count'>): number {
  return Math.min(count, mostReaders);
}

/** Payouts that are read: pgbench and the load generator both know their ids, without asking. */
export async function plantPayouts(
  database: Pick<TestDatabase, 'serviceUrl'>,
  partners: BenchPartners,
  values: CallValues,
  payoutIds: NumberedIds,
): Promise<void> {
  const number = `(who.n * ${plantedAPartner} + nth.n)`;
  const readers = readersOf(partners);
  const planted = readers * plantedAPartner;
  return asAdmin(database.serviceUrl, async (client) => {
    const ids = {
      partner: partners.ids.sql('who.n'),
      apiKey: partners.keyIds.sql('who.n'),
      payout: payoutIds.sql(number),
      secondTransfer: payoutIds.sql(`(${planted} + ${number})`),
      order: `encode(int8send(${number}) || '\\x${randomUUID().replaceAll('-', '').slice(16)}'::bytea, 'hex')::uuid`,
    };
    const statement = createStatement(ids, values, (_, value) => client.escapeLiteral(value));
    const { rows } = await client.query<{ made: string }>(
      `select count(*) filter (where made.outcome = 'created') as made
       from generate_series(0::bigint, ${readers - 1}) who (n), generate_series(0::bigint, ${plantedAPartner - 1}) nth (n),
         lateral (${statement}) made`,
    );
    if (Number(rows[0]?.made) !== planted) throw new Error('not every payout that is to be read was made');
  });
}
