import type { Mode } from '../configuration.ts';
import { getCustomer, requireEndorsedCustomer } from '../customers.ts';
import type { Transaction } from '../database.ts';
import type { Fields } from '../http/fields.ts';
import { notFound } from '../http/api-error.ts';
import type { Route, RouteRequest } from '../http/route.ts';
import { isId } from '../ids.ts';
import { formatPounds, parsePounds, parseUsdc } from '../money.ts';
import { cancel } from '../transfers/acts.ts';
import { checkAccount, createTransfer, type NewTransfer, type Order } from '../transfers/create-transfer.ts';
import { createWalletTransfer, type WalletOrder } from '../transfers/create-wallet-transfer.ts';
import { describeTransfer, lockTransfer, type Transfer } from '../transfers/transfer.ts';
import { findTestAccount } from '../test-accounts.ts';
import { getAccount } from './external-accounts.ts';
import { listBody, listPage } from './pages.ts';
import { unclearUntil } from './unclear-answer.ts';
import { chains, getWallet } from './wallets.ts';

interface TransferDeps {
  mode: Mode;
  settleAfterMs: number;
}

/** What Faster Payments carries. */
const reference = {
  pattern: /^[A-Za-z0-9 /\-?:().,'+#=!"%&*<>;{@]{1,18}$/,
  rule: '1 to 18 characters of those that Faster Payments carries',
};
const liveMinimumPence = 300n;

function readAmount(destination: Fields, mode: Mode): bigint {
  const pence = parsePounds(destination.text('amount'));
  if (pence === undefined || pence === 0n) {
    throw destination.apiError('amount', 'an amount of pounds above zero, for example 850.00');
  }
  if (mode === 'live-stand-in' && pence < liveMinimumPence) {
    throw destination.apiError('amount', `at least ${formatPounds(liveMinimumPence)}`);
  }
  return pence;
}

function idIn(fields: Fields, key: string, what: string): string {
  const id = fields.text(key);
  if (!isId(id)) throw notFound(what);
  return id;
}

function readOrder({ body, idempotencyKey, takeMoreMicroUsdc }: RouteRequest, mode: Mode): Omit<Order, 'testAccount'> {
  const source = body.object('source');
  source.choice('currency', ['usdc']);
  source.choice('payment_rail', ['bridge_wallet']);
  const destination = body.object('destination');
  destination.choice('currency', ['gbp']);
  destination.choice('payment_rail', ['faster_payments']);
  return {
    clientReferenceId: body.optionalText('client_reference_id'),
    amountPence: readAmount(destination, mode),
    reference: destination.text('reference', reference),
    customerId: idIn(body, 'on_behalf_of', 'customer'),
    walletId: idIn(source, 'bridge_wallet_id', 'wallet'),
    externalAccountId: idIn(destination, 'external_account_id', 'external account'),
    idempotencyKey,
    takeMoreMicroUsdc,
  };
}

/** USDC from one wallet to another, by whomever each is owned. */
function readWalletOrder({ body }: RouteRequest): WalletOrder {
  const source = body.object('source');
  source.choice('currency', ['usdc']);
  source.choice('payment_rail', ['bridge_wallet']);
  const destination = body.object('destination');
  destination.choice('currency', ['usdc']);
  destination.choice('payment_rail', chains);
  const microUsdc = parseUsdc(body.text('amount'));
  if (microUsdc === undefined || microUsdc === 0n)
    throw body.apiError('amount', 'an amount of USDC above zero, for example 12.50');
  return {
    clientReferenceId: body.optionalText('client_reference_id'),
    microUsdc,
    customerId: idIn(body, 'on_behalf_of', 'customer'),
    walletId: idIn(source, 'bridge_wallet_id', 'wallet'),
    toWalletId: idIn(destination, 'bridge_wallet_id', 'wallet'),
  };
}

async function orderBetweenWallets(request: RouteRequest, settleAfterMs: number): Promise<NewTransfer> {
  const { tx, at } = request;
  const order = readWalletOrder(request);
  await getCustomer(tx, order.customerId);
  await getWallet(tx, order.walletId, order.customerId);
  await getWallet(tx, order.toWalletId, null);
  return createWalletTransfer(tx, order, { at, settleAfterMs });
}

const msRange = { min: 0, max: 1e14 };

/** What a list of transfers can be narrowed to. A whole number can stand in the statement as it is. */
function changedBetween(query: Fields): string {
  const after = query.optionalWholeNumber('updated_after_ms', msRange);
  const before = query.optionalWholeNumber('updated_before_ms', msRange);
  const at = 'extract(epoch from updated_at) * 1000';
  const ends = [...(after === null ? [] : [`${at} > ${after}`]), ...(before === null ? [] : [`${at} < ${before}`])];
  return ['true', ...ends].join(' and ');
}

/** Undefined for one that the bank was told to forget. */
async function findTransfer(tx: Transaction, id: string): Promise<Transfer | undefined> {
  const { rows } = await tx.query<Transfer>('select * from transfers where id = $1 and not forgotten', [id]);
  return rows[0];
}

export function transferRoutes({ mode, settleAfterMs }: TransferDeps): readonly Route[] {
  return [
    {
      method: 'POST',
      url: '/transfers',
      faultPoint: 'transfer.create',
      async perform(request) {
        const { tx, at } = request;
        if (request.body.object('destination').has('bridge_wallet_id')) {
          const { transfer: between, takeMoney: lastly } = await orderBetweenWallets(request, settleAfterMs);
          return { status: 201, body: describeTransfer(between), lastly };
        }
        const order = readOrder(request, mode);
        await requireEndorsedCustomer(tx, order.customerId);
        await getWallet(tx, order.walletId, order.customerId);
        const account = await getAccount(tx, order.externalAccountId, order.customerId);
        checkAccount(account, mode);
        const testAccount = findTestAccount(account, mode) === undefined ? null : account.account_number;
        const { transfer, takeMoney: lastly } = await createTransfer(
          tx,
          { ...order, testAccount },
          { at, settleAfterMs },
        );
        const unclear = transfer.forgotten ? { [unclearUntil]: transfer.next_at?.toISOString() } : {};
        return { status: 201, body: { ...describeTransfer(transfer), ...unclear }, lastly };
      },
    },
    {
      method: 'GET',
      url: '/transfers/:transfer_id',
      faultPoint: 'transfer.read',
      async perform({ tx, id }) {
        const transfer = await findTransfer(tx, id('transfer_id'));
        if (transfer === undefined) throw notFound('transfer');
        return { status: 200, body: describeTransfer(transfer) };
      },
    },
    {
      method: 'GET',
      url: '/customers/:customer_id/transfers',
      faultPoint: 'transfer.read',
      async perform({ tx, id, query }) {
        const owner = id('customer_id');
        await getCustomer(tx, owner);
        const where = 'customer_id = $1 and not forgotten';
        const list = { table: 'transfers', where, narrowedTo: changedBetween(query), owner } as const;
        const transfers = await listPage<Transfer>(tx, list, query);
        return { status: 200, body: listBody(transfers.map(describeTransfer)) };
      },
    },
    {
      method: 'DELETE',
      url: '/transfers/:transfer_id',
      async perform({ tx, at, id }) {
        const transfer = await lockTransfer(tx, id('transfer_id'));
        if (transfer.forgotten) throw notFound('transfer');
        return { status: 200, body: describeTransfer(await cancel(tx, transfer, at)) };
      },
    },
  ];
}
