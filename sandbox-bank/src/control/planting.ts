import type { Transaction } from '../database.ts';
import { lockDeposit } from '../funding/deposit.ts';
import type { Fields } from '../http/fields.ts';
import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { createTransfer } from '../transfers/create-transfer.ts';
import { describeTransfer, lockTransfer, states, type Transfer } from '../transfers/transfer.ts';
import { getWallet } from '../wire/wallets.ts';

// A bank that is simply wrong, without a word to anybody: for tests of those who hold their books against its. The record of
// what it truly did stays as it is.

function readMicro(body: Fields): bigint | null {
  const micro = body.optionalWholeNumber('micro_usdc', { min: 1, max: 1e15 });
  return micro === null ? null : BigInt(micro);
}

async function misstate(tx: Transaction, { id }: Transfer, body: Fields): Promise<Transfer> {
  const state = body.has('state') ? body.choice('state', states) : null;
  const { rows } = await tx.query<Transfer>(
    `update transfers set taken_micro_usdc = coalesce($2, taken_micro_usdc), state = coalesce($3, state), next_state = null,
       next_at = null
     where id = $1 returning *`,
    [id, readMicro(body), state],
  );
  const [transfer] = rows;
  if (transfer === undefined) throw new Error('a locked transfer is gone');
  return transfer;
}

async function anyAccount(tx: Transaction, customerId: string): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('select id from external_accounts where customer_id = $1 limit 1', [
    customerId,
  ]);
  const [account] = rows;
  if (account === undefined) throw notFound('external account');
  return account.id;
}

export function plantingRoutes(settleAfterMs: number): readonly Route[] {
  return [
    {
      method: 'POST',
      url: '/transfers/:transfer_id/misstate',
      async perform({ tx, id, body }) {
        const transfer = await lockTransfer(tx, id('transfer_id'));
        return { status: 200, body: describeTransfer(await misstate(tx, transfer, body)) };
      },
    },
    {
      method: 'POST',
      url: '/transfers/:transfer_id/double',
      async perform({ tx, at, id }) {
        const transfer = await lockTransfer(tx, id('transfer_id'));
        const { external_account_id: externalAccountId, amount_pence: amountPence } = transfer;
        if (externalAccountId === null || amountPence === null) throw notFound('payment');
        const order = {
          customerId: transfer.customer_id,
          walletId: transfer.wallet_id,
          externalAccountId,
          clientReferenceId: transfer.client_reference_id,
          amountPence,
          reference: transfer.reference,
          idempotencyKey: null,
          takeMoreMicroUsdc: 0n,
          testAccount: null,
        };
        const { transfer: planted, takeMoney } = await createTransfer(tx, order, { at, settleAfterMs });
        await takeMoney();
        return { status: 201, body: describeTransfer(planted) };
      },
    },
    {
      method: 'POST',
      url: '/wallets/:wallet_id/stray-transfer',
      async perform({ tx, at, id }) {
        const wallet = await getWallet(tx, id('wallet_id'), null);
        const order = {
          customerId: wallet.customer_id,
          walletId: wallet.id,
          externalAccountId: await anyAccount(tx, wallet.customer_id),
          clientReferenceId: `stray-${newId(at)}`,
          amountPence: 1_234n,
          reference: 'STRAY',
          idempotencyKey: null,
          takeMoreMicroUsdc: 0n,
          testAccount: null,
        };
        const { transfer: planted, takeMoney } = await createTransfer(tx, order, { at, settleAfterMs });
        await takeMoney();
        return { status: 201, body: describeTransfer(planted) };
      },
    },
    {
      method: 'POST',
      url: '/deposits/:deposit_id/misstate',
      async perform({ tx, id, body }) {
        const { id: depositId } = await lockDeposit(tx, id('deposit_id'));
        const micro = readMicro(body);
        if (micro === null) throw body.apiError('micro_usdc', 'what the wallet is said to get');
        await tx.query('update deposits set net_micro_usdc = $2 where id = $1', [depositId, micro]);
        return { status: 200, body: { id: depositId } };
      },
    },
  ];
}
