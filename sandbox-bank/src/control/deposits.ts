import { actOnDeposit, depositActs, setDepositForgotten } from '../funding/acts.ts';
import { describeDrain, lockDeposit, type Deposit } from '../funding/deposit.ts';
import { getLiquidationAddress } from '../funding/liquidation-address.ts';
import { receiveTokens, receiveTransfer } from '../funding/receive-deposit.ts';
import { getVirtualAccount } from '../funding/virtual-account.ts';
import type { Fields } from '../http/fields.ts';
import { notFound } from '../http/api-error.ts';
import type { Route, RouteRequest } from '../http/route.ts';
import { isId, newId } from '../ids.ts';
import { parsePounds, parseUsdc } from '../money.ts';
import { moveMoney } from '../wallet-money.ts';
import { describeWallet, getWallet } from '../wire/wallets.ts';

/** Less than this would leave nothing once the bank has taken its fee. */
const leastPence = 100n;
const leastMicroUsdc = 1_000_000n;

export function readPence(fields: Fields, key: string): bigint {
  const pence = parsePounds(fields.text(key));
  if (pence === undefined || pence < leastPence) throw fields.apiError(key, 'an amount of at least 1.00');
  return pence;
}

export function readMicroUsdc(fields: Fields, key: string): bigint {
  const microUsdc = parseUsdc(fields.text(key));
  if (microUsdc === undefined || microUsdc < leastMicroUsdc) throw fields.apiError(key, 'an amount of at least 1.00');
  return microUsdc;
}

export function idIn(fields: Fields, key: string): string {
  const id = fields.text(key);
  if (!isId(id)) throw notFound(key.replaceAll('_', ' ').replace(/ id$/, ''));
  return id;
}

function describeDeposit(deposit: Deposit): object {
  const { id, state, forgotten, net_micro_usdc: net, fee_micro_usdc: fee, ...rest } = deposit;
  return {
    ...describeDrain(deposit),
    id,
    state,
    forgotten,
    virtual_account_id: rest.virtual_account_id,
    net_micro_usdc: String(net),
    fee_micro_usdc: String(fee),
  };
}

async function receive({ tx, at, body }: RouteRequest, settleAfterMs: number): Promise<Deposit> {
  const time = { at, settleAfterMs };
  if (body.has('virtual_account_id')) {
    const account = await getVirtualAccount(tx, idIn(body, 'virtual_account_id'), null);
    const name = body.optionalText('sender_name') ?? account.account_holder_name;
    const sender = { name, reference: body.optionalText('reference') ?? 'Top-up' };
    return receiveTransfer(tx, { account, pence: readPence(body, 'amount_gbp'), sender }, time);
  }
  const address = await getLiquidationAddress(tx, idIn(body, 'liquidation_address_id'), null);
  return receiveTokens(tx, { address, microUsdc: readMicroUsdc(body, 'amount_usdc') }, time);
}

/** What comes in, what becomes of it, and a wallet that is simply wrong: for tests of those who look for that. */
export function depositControlRoutes(settleAfterMs: number): readonly Route[] {
  const acts = depositActs.map((act): Route => ({
    method: 'POST',
    url: `/deposits/:deposit_id/${act}`,
    async perform({ tx, at, id }) {
      const deposit = await lockDeposit(tx, id('deposit_id'));
      return { status: 200, body: describeDeposit(await actOnDeposit(tx, act, deposit, { at, settleAfterMs })) };
    },
  }));
  const memory = (['forget', 'remember'] as const).map((name): Route => ({
    method: 'POST',
    url: `/deposits/:deposit_id/${name}`,
    async perform({ tx, id }) {
      const deposit = await lockDeposit(tx, id('deposit_id'));
      return { status: 200, body: describeDeposit(await setDepositForgotten(tx, deposit, name === 'forget')) };
    },
  }));
  return [
    ...acts,
    ...memory,
    {
      method: 'POST',
      url: '/deposits',
      perform: async (request) => ({ status: 201, body: describeDeposit(await receive(request, settleAfterMs)) }),
    },
    {
      method: 'POST',
      url: '/deposits/:deposit_id/recall',
      async perform({ tx, at, id, body }) {
        const { id: depositId, customer_id: customerId } = await lockDeposit(tx, id('deposit_id'));
        const requestId = newId(at);
        await tx.query(
          'insert into funds_requests (id, deposit_id, customer_id, fraud, created_at) values ($1, $2, $3, $4, $5)',
          [requestId, depositId, customerId, body.optionalFlag('fraud'), at],
        );
        return { status: 201, body: { id: requestId } };
      },
    },
    {
      method: 'GET',
      url: '/deposits/:deposit_id',
      perform: async ({ tx, id }) => ({ status: 200, body: describeDeposit(await lockDeposit(tx, id('deposit_id'))) }),
    },
    {
      method: 'POST',
      url: '/wallets/:wallet_id/adjust',
      async perform({ tx, at, id, body }) {
        const walletId = id('wallet_id');
        const micro = body.optionalWholeNumber('micro_usdc', { min: -1e15, max: 1e15 });
        if (micro === null) throw body.apiError('micro_usdc', 'a whole number');
        await moveMoney(tx, { walletId, microUsdc: BigInt(micro), kind: 'adjustment', mayOverdraw: true, at });
        return { status: 200, body: describeWallet(await getWallet(tx, walletId, null)) };
      },
    },
  ];
}
