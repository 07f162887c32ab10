import { lockDeposit } from '../funding/deposit.ts';
import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { isId } from '../ids.ts';
import { formatPounds, formatUsdc } from '../money.ts';
import { listBody, listPage } from './pages.ts';

interface FundsRequestRow {
  id: string;
  deposit_id: string;
  customer_id: string;
  fraud: boolean;
  created_at: Date;
}

async function describeFundsRequest(tx: Transaction, row: FundsRequestRow): Promise<object> {
  const { sent_pence: pence, sent_micro_usdc: micro, created_at: at } = await lockDeposit(tx, row.deposit_id);
  const sent =
    pence === null
      ? { amount: formatUsdc(micro ?? 0n), currency: 'usdc', payment_rail: 'base' }
      : { amount: formatPounds(pence), currency: 'gbp', payment_rail: 'faster_payments' };
  return {
    id: row.id,
    deposit_id: row.deposit_id,
    customer_id: row.customer_id,
    ...sent,
    fraud: row.fraud,
    notice_date: row.created_at.toISOString().slice(0, 10),
    created_at: row.created_at.toISOString(),
    deposit_created_at: at.toISOString(),
  };
}

export const fundsRequestRoutes: readonly Route[] = [
  {
    method: 'GET',
    url: '/funds_requests',
    faultPoint: 'deposit.read',
    async perform({ tx, query }) {
      const owner = query.text('customer_id');
      if (!isId(owner)) throw notFound('customer');
      const rows = await listPage<FundsRequestRow>(
        tx,
        { table: 'funds_requests', where: 'customer_id = $1', owner },
        query,
      );
      const described: object[] = [];
      for (const row of rows) described.push(await describeFundsRequest(tx, row));
      return { status: 200, body: listBody(described) };
    },
  },
];
