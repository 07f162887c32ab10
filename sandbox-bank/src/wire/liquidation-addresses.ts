import { getCustomer } from '../customers.ts';
import { describeDrain, type Deposit } from '../funding/deposit.ts';
import {
  describeLiquidationAddress,
  getLiquidationAddress,
  openLiquidationAddress,
  type LiquidationAddress,
} from '../funding/liquidation-address.ts';
import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { isId } from '../ids.ts';
import { listBody, listPage } from './pages.ts';
import { chains, getWallet } from './wallets.ts';

export const liquidationAddressRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/customers/:customer_id/liquidation_addresses',
    faultPoint: 'liquidation_address.create',
    async perform({ tx, at, id, body }) {
      const { id: customerId } = await getCustomer(tx, id('customer_id'));
      const chain = body.choice('chain', chains);
      body.choice('currency', ['usdc']);
      body.choice('destination_currency', ['usdc']);
      body.choice('destination_payment_rail', chains);
      const walletId = body.text('bridge_wallet_id');
      if (!isId(walletId)) throw notFound('wallet');
      await getWallet(tx, walletId, customerId);
      const address = await openLiquidationAddress(tx, { customerId, walletId, chain }, at);
      return { status: 201, body: describeLiquidationAddress(address) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/liquidation_addresses',
    faultPoint: 'deposit.read',
    async perform({ tx, id, query }) {
      const owner = id('customer_id');
      await getCustomer(tx, owner);
      const list = { table: 'liquidation_addresses', where: 'customer_id = $1', owner } as const;
      const addresses = await listPage<LiquidationAddress>(tx, list, query);
      return { status: 200, body: listBody(addresses.map(describeLiquidationAddress)) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/liquidation_addresses/:liquidation_address_id/drains',
    faultPoint: 'deposit.read',
    async perform({ tx, id, query }) {
      const { id: owner } = await getLiquidationAddress(tx, id('liquidation_address_id'), id('customer_id'));
      const list = { table: 'deposits', where: 'liquidation_address_id = $1 and not forgotten', owner } as const;
      const drains = await listPage<Deposit>(tx, list, query);
      return { status: 200, body: listBody(drains.map(describeDrain)) };
    },
  },
];
