// The bare reference of the bench: the calls that pgbench sends. FROZEN like the SQL beside it; tables.sql says why.
import { randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { freshIdSql, scatteredIdSql, type NumberedIds } from '../numbered-ids.ts';
import type { BareScript } from '../pgbench.ts';

export interface BarePartners {
  count: number;
  ids: NumberedIds;
  keyIds: NumberedIds;
}

const digest = `\\x${'c2'.repeat(32)}`;

/**
 * What every call of create_payout has in common, by the names of its arguments. The api wrote these values for a payout of
 * £25.00 when the reference was set. Digests and encrypted bytes are other bytes of the same length.
 */
const createValues: ReadonlyMap<string, string> = new Map([
  ['new_fingerprint', digest],
  ['on_rail', 'simulated'],
  ['first_state', 'processing'],
  ['new_reference', 'Order 42'],
  ['new_bank_reference', 'Order 42'],
  ['new_amount_pence', '2500'],
  ['new_fee_pence', '124'],
  ['new_bank_share_pence', '63'],
  ['new_wallet_sends_micro_usdc', '32450000'],
  ['new_gbp_per_usd_millionths', '790000'],
  ['new_price_plan', 'standard-1'],
  ['new_recipient_name', 'Ada Byron'],
  ['new_account_last4', '5678'],
  ['new_recipient_sealed', `\\x${'5e'.repeat(291)}`],
  ['new_account_index', digest],
  ['new_created_via', 'api'],
  ['new_created_by', 'kp_sandbox_fa9b7a44'],
  ['new_bank_payment_id', '01a1e1c4-4dc4-7e4e-9558-a7feb95580ea'],
  ['new_bank_state', 'simulated'],
  ['new_bank_took_micro_usdc', '32450000'],
  ['lines', '{1,2,3,1,2}'],
  ['accounts', '{wallet,held,held,in_transit,bank_wallet}'],
  ['amounts', '{32450000,-31650000,-800000,32450000,-32450000}'],
  ['reasons', '{payout.hold,payout.hold,payout.hold,payout.bank_accepted,payout.bank_accepted}'],
  ['activity_status', '201'],
]);

/** Expressions for what differs from payout to payout. */
interface CallIds {
  partner: string;
  apiKey: string;
  /** The payout's id. Its activity and its first transfer have the same one, each in a table of its own. */
  payout: string;
  secondTransfer: string;
  order: string;
}

/** One statement, one transaction: the rail's answer is part of it, as on the simulated rail. */
function createStatement(ids: CallIds, place: (name: string, value: string) => string): string {
  const given = [...createValues].map(([name, value]) => `${name} => ${place(name, value)}`);
  return `select made.* from (
    select ${ids.partner} as partner, ${ids.apiKey} as api_key, ${ids.payout} as payout,
      ${ids.secondTransfer} as second_transfer, ${ids.order} as order_id
    offset 0
  ) ids, lateral bare.create_payout(
    of_partner => ids.partner, of_environment => 'sandbox', api_key_id => ids.api_key, new_payout_id => ids.payout,
    new_order_id => ids.order_id, new_key => ids.order_id::text, at => now(), new_failure_code => null,
    new_failure_reason => null, new_leased_until => now(), new_due_at => now() + make_interval(secs => 3),
    transfer_ids => array[ids.payout, ids.payout, ids.payout, ids.second_transfer, ids.second_transfer],
    activity_id => ids.payout, ${given.join(', ')}
  ) made`;
}

const belowTwoTo62 = '4611686018427387903';

/** For any of the partners, or for the first alone, whose wallet is then a hot one. */
export function createScript(partners: BarePartners, on: 'many' | 'hot'): BareScript {
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
    statement: createStatement(ids, (name) => `:${name}`),
    values: createValues,
    makesPayouts: true,
  };
}

/** The first few partners have as many payouts as a list shows. */
const payoutsPerReader = 50;
const maximumReaders = 40;

function readersOf({ count }: BarePartners): number {
  return Math.min(count, maximumReaders);
}

/** Payouts to read. pgbench computes their ids, so that it need not look them up. */
export async function plantPayouts(serviceUrl: string, partners: BarePartners, payoutIds: NumberedIds): Promise<void> {
  const number = `(who.n * ${payoutsPerReader} + nth.n)`;
  const readers = readersOf(partners);
  const planted = readers * payoutsPerReader;
  return asAdmin(serviceUrl, async (client) => {
    const ids = {
      partner: partners.ids.sql('who.n'),
      apiKey: partners.keyIds.sql('who.n'),
      payout: payoutIds.sql(number),
      secondTransfer: payoutIds.sql(`(${planted} + ${number})`),
      order: `encode(int8send(${number}) || '\\x${randomUUID().replaceAll('-', '').slice(16)}'::bytea, 'hex')::uuid`,
    };
    const statement = createStatement(ids, (_, value) => client.escapeLiteral(value));
    const { rows } = await client.query<{ made: string }>(
      `select count(*) filter (where made.outcome = 'created') as made
       from generate_series(0::bigint, ${readers - 1}) who (n), generate_series(0::bigint, ${payoutsPerReader - 1}) nth (n),
         lateral (${statement}) made`,
    );
    if (Number(rows[0]?.made) !== planted) throw new Error('not every payout to read was created');
  });
}

const noValues: ReadonlyMap<string, string> = new Map();
const largestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function anyReader(partners: BarePartners): string {
  return `set who random(0, ${readersOf(partners) - 1})`;
}

export function getScript(partners: BarePartners, payoutIds: NumberedIds): BareScript {
  const payout = payoutIds.sql(`(:who * ${payoutsPerReader} + :nth)`);
  return {
    draws: [anyReader(partners), `set nth random(0, ${payoutsPerReader - 1})`],
    statement: `select place, (payout).* from bare.show_each_payout(
      array[${partners.ids.sql(':who')}], array['sandbox']::bare.environment[], array[${payout}]
    )`,
    values: noValues,
    makesPayouts: false,
  };
}

export function listScript(partners: BarePartners): BareScript {
  return {
    draws: [anyReader(partners)],
    statement: `select * from bare.show_payouts(${partners.ids.sql(':who')}, 'sandbox', '${largestId}', 51)`,
    values: noValues,
    makesPayouts: false,
  };
}
