// The bare reference of the bench: many payouts in one call. FROZEN like the SQL beside it; tables.sql says why.
import { freshIdSql, scatteredIdSql } from '../numbered-ids.ts';
import type { BareScript } from '../pgbench.ts';
import type { BarePartners } from './calls.ts';

/** As many as an api process gathers where 32 callers wait. */
const payoutsPerCall = 32;

const digest = `\\x${'c2'.repeat(32)}`;

/** What the payouts of a call have in common: the values of `createScript`. */
const values: ReadonlyMap<string, string> = new Map([
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
  ['are_first', '{t,t,t,f,f}'],
  ['accounts', '{wallet,held,held,in_transit,bank_wallet}'],
  ['amounts', '{32450000,-31650000,-800000,32450000,-32450000}'],
  ['reasons', '{payout.hold,payout.hold,payout.hold,payout.bank_accepted,payout.bank_accepted}'],
  ['activity_status', '201'],
]);

/** Below 2^62, also with the place of a payout added. */
const mostDrawn = '4611686018427387871';

/** For partners that follow one another, from a random one on. */
export function createBatchScript(partners: BarePartners): BareScript {
  const who = `((:who + n) % ${partners.count})`;
  const ids = [
    partners.ids.sql(who),
    partners.keyIds.sql(who),
    freshIdSql('(:id + n)'),
    freshIdSql('(:other + n)'),
    scatteredIdSql('(:order + n)', ':id'),
  ];
  const given = [...values.keys()].map((name) => `${name} => :${name}`);
  return {
    draws: [
      `set who random(0, ${partners.count - 1})`,
      `set id random(0, ${mostDrawn})`,
      `set other random(0, ${mostDrawn})`,
      `set order random(0, ${mostDrawn})`,
    ],
    statement: `select bare.create_payouts(
      ids.partners, ids.api_keys, ids.payouts, ids.second_transfers, ids.orders, ${given.join(', ')}
    ) from (
      select ${ids.map((id) => `array_agg(${id})`).join(', ')}
      from generate_series(0::bigint, ${payoutsPerCall - 1}) n offset 0
    ) ids (partners, api_keys, payouts, second_transfers, orders)`,
    values,
    makesPayouts: true,
    payoutsPerCall,
  };
}
