import type { Transaction } from '../database.ts';
import type { Route } from '../http/route.ts';
import { isId } from '../ids.ts';
import { describeWallet, getWallet } from '../wire/wallets.ts';

interface Choice {
  reference: string | null;
  customerId: string | null;
}

/**
 * The whole record is read in one go: it is the judge of a test, and half a judgement is none. Amounts leave the
 * database as texts, since JSON has no whole numbers.
 */
async function readRecord(tx: Transaction, { reference, customerId }: Choice): Promise<object> {
  // A condition for what was chosen alone: one plan for any choice would read the whole table.
  const conditions = [
    ...(reference === null ? [] : [['client_reference_id', reference] as const]),
    ...(customerId === null ? [] : [['customer_id', customerId] as const]),
  ];
  const where = conditions.map(([column], at) => `and ${column} = $${at + 1}`).join(' ');
  const values = conditions.map(([, value]) => value);
  const payments = await tx.query(
    `select transfer_id, customer_id, client_reference_id, idempotency_key, amount_pence::text,
       taken_micro_usdc::text, accepted_at
     from payments where true ${where} order by accepted_at`,
    values,
  );
  const refunds = await tx.query(
    `select transfer_id, customer_id, client_reference_id, micro_usdc::text, reason, refunded_at
     from refunds where true ${where} order by refunded_at`,
    values,
  );
  // A deposit has no client reference.
  if (reference !== null) return { payments: payments.rows, refunds: refunds.rows, credits: [], reversals: [] };
  const credits = await readOfDeposits(tx, customerId, { table: 'deposit_credits', at: 'credited_at' });
  const reversals = await readOfDeposits(tx, customerId, { table: 'deposit_reversals', at: 'reversed_at' });
  return { payments: payments.rows, refunds: refunds.rows, credits, reversals };
}

async function readOfDeposits(
  tx: Transaction,
  customerId: string | null,
  { table, at }: { table: 'deposit_credits' | 'deposit_reversals'; at: string },
): Promise<object[]> {
  const { rows } = await tx.query(
    `select deposit_id, customer_id, wallet_id, micro_usdc::text, ${at}
     from ${table} where $1::uuid is null or customer_id = $1 order by ${at}`,
    [customerId],
  );
  return rows;
}

export const recordRoutes: readonly Route[] = [
  {
    method: 'GET',
    url: '/record',
    async perform({ tx, query }) {
      const customerId = query.optionalText('customer_id');
      if (customerId !== null && !isId(customerId)) throw query.apiError('customer_id', 'the id of a customer');
      const body = await readRecord(tx, { reference: query.optionalText('client_reference_id'), customerId });
      return { status: 200, body };
    },
  },
  {
    method: 'GET',
    url: '/wallets/:wallet_id',
    async perform({ tx, id }) {
      const wallet = await getWallet(tx, id('wallet_id'), null);
      const exact = { customer_id: wallet.customer_id, balance_micro_usdc: String(wallet.balance_micro_usdc) };
      return { status: 200, body: { ...describeWallet(wallet), ...exact } };
    },
  },
];
