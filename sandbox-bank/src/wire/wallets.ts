import { createHash } from 'node:crypto';
import type { Mode } from '../configuration.ts';
import { getCustomer } from '../customers.ts';
import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { formatUsdc } from '../money.ts';
import { moveMoney } from '../wallet-money.ts';
import { listBody, listPage } from './pages.ts';

/** What a new wallet of a sandbox holds, so that a payout can be tried at once. Real money has to be sent. */
const openingMicroUsdc = 10_000_000_000n;
export const chains = ['base', 'ethereum', 'polygon', 'solana'] as const;

interface WalletRow {
  id: string;
  customer_id: string;
  chain: string;
  address: string;
  balance_micro_usdc: bigint;
  created_at: Date;
}

interface MovementRow {
  id: string;
  micro_usdc: bigint;
  kind: string;
  transfer_id: string | null;
  deposit_id: string | null;
  at: Date;
  balance_after_micro_usdc: bigint;
}

export function describeWallet(wallet: WalletRow): object {
  const { id, chain, address, balance_micro_usdc: balance } = wallet;
  return {
    id,
    chain,
    address,
    balances: [{ balance: formatUsdc(balance), currency: 'usdc', chain }],
    created_at: wallet.created_at.toISOString(),
  };
}

function describeMovement(movement: MovementRow): object {
  return {
    id: movement.id,
    amount: formatUsdc(movement.micro_usdc),
    currency: 'usdc',
    kind: movement.kind,
    transfer_id: movement.transfer_id,
    deposit_id: movement.deposit_id,
    balance_after: formatUsdc(movement.balance_after_micro_usdc),
    created_at: movement.at.toISOString(),
  };
}

export async function getWallet(tx: Transaction, id: string, customerId: string | null): Promise<WalletRow> {
  const { rows } = await tx.query<WalletRow>(
    'select * from wallets where id = $1 and ($2::uuid is null or customer_id = $2)',
    [id, customerId],
  );
  const [wallet] = rows;
  if (wallet === undefined) throw notFound('wallet');
  return wallet;
}

export function walletRoutes(mode: Mode): readonly Route[] {
  return [
    {
      method: 'POST',
      url: '/customers/:customer_id/wallets',
      async perform({ tx, at, id, body }) {
        const customerId = id('customer_id');
        await getCustomer(tx, customerId);
        const chain = body.choice('chain', chains);
        const walletId = newId(at);
        // It looks like an address and belongs to nobody: no tokens can be sent there.
        const address = `0x${createHash('sha256').update(walletId).digest('hex').slice(0, 40)}`;
        await tx.query(
          `insert into wallets (id, customer_id, chain, address, balance_micro_usdc, created_at)
         values ($1, $2, $3, $4, 0, $5)`,
          [walletId, customerId, chain, address, at],
        );
        if (mode === 'sandbox') await moveMoney(tx, { walletId, microUsdc: openingMicroUsdc, kind: 'opening', at });
        return { status: 201, body: describeWallet(await getWallet(tx, walletId, customerId)) };
      },
    },
    {
      method: 'GET',
      url: '/customers/:customer_id/wallets/:wallet_id',
      async perform({ tx, id }) {
        return { status: 200, body: describeWallet(await getWallet(tx, id('wallet_id'), id('customer_id'))) };
      },
    },
    {
      method: 'GET',
      url: '/wallets/:wallet_id/history',
      async perform({ tx, id, query }) {
        const owner = id('wallet_id');
        await getWallet(tx, owner, null);
        const list = { table: 'wallet_movements', where: 'wallet_id = $1', owner } as const;
        const movements = await listPage<MovementRow>(tx, list, query);
        return { status: 200, body: listBody(movements.map(describeMovement)) };
      },
    },
  ];
}
