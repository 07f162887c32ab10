import { getCustomer } from '../customers.ts';
import {
  describeVirtualAccount,
  getVirtualAccount,
  openVirtualAccount,
  type VirtualAccount,
} from '../funding/virtual-account.ts';
import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { isId } from '../ids.ts';
import { listBody, listPage } from './pages.ts';
import { getWallet } from './wallets.ts';

interface EventRow {
  body: object;
}

export const virtualAccountRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/customers/:customer_id/virtual_accounts',
    faultPoint: 'virtual_account.create',
    async perform({ tx, at, id, body }) {
      const customer = await getCustomer(tx, id('customer_id'));
      body.object('source').choice('currency', ['gbp']);
      const destination = body.object('destination');
      destination.choice('currency', ['usdc']);
      const walletId = destination.text('bridge_wallet_id');
      if (!isId(walletId)) throw notFound('wallet');
      await getWallet(tx, walletId, customer.id);
      const holder = customer.business_name ?? customer.full_name ?? customer.email;
      const account = await openVirtualAccount(tx, { customerId: customer.id, walletId, holder }, at);
      return { status: 201, body: describeVirtualAccount(account) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/virtual_accounts',
    faultPoint: 'deposit.read',
    async perform({ tx, id, query }) {
      const owner = id('customer_id');
      await getCustomer(tx, owner);
      const list = { table: 'virtual_accounts', where: 'customer_id = $1', owner } as const;
      const accounts = await listPage<VirtualAccount>(tx, list, query);
      return { status: 200, body: listBody(accounts.map(describeVirtualAccount)) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/virtual_accounts/:virtual_account_id/history',
    faultPoint: 'deposit.read',
    async perform({ tx, id, query }) {
      const { id: owner } = await getVirtualAccount(tx, id('virtual_account_id'), id('customer_id'));
      const where = `virtual_account_id = $1 and deposit_id not in (select d.id from deposits d where d.forgotten)`;
      const events = await listPage<EventRow>(tx, { table: 'virtual_account_events', where, owner }, query);
      return { status: 200, body: listBody(events.map(({ body }) => body)) };
    },
  },
];
