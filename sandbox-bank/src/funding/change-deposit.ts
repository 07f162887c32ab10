import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { moveMoney } from '../wallet-money.ts';
import { recordEvents, type ObjectEvent } from '../webhooks/events.ts';
import { describeActivity, describeDrain, type Deposit, type DepositState } from './deposit.ts';

interface Change {
  to: DepositState;
  at: Date;
  /** What the bank does with it by itself later; without it the deposit stays as it is. */
  next?: { state: DepositState; at: Date };
}

/** The one way by which a deposit gets another state: the money moves with it, and everyone who listens is told. */
export async function changeDeposit(tx: Transaction, before: Deposit, { to, at, next }: Change): Promise<Deposit> {
  const { rows } = await tx.query<Deposit>(
    `update deposits set state = $2, updated_at = $3, next_state = $4, next_at = $5,
       destination_tx_hash = case
         when $2 = 'payment_processed' then coalesce(destination_tx_hash, '0x' || encode(sha256($1::text::bytea), 'hex'))
         else destination_tx_hash
       end
     where id = $1::uuid returning *`,
    [before.id, to, at, next?.state ?? null, next?.at ?? null],
  );
  const [deposit] = rows;
  if (deposit === undefined) throw new Error('a locked deposit is gone');
  const wasCredited = await isCredited(tx, deposit);
  if (to === 'payment_processed' && !wasCredited) await credit(tx, deposit, at);
  if (to === 'refunded' && wasCredited) await takeBack(tx, deposit, at);
  await notify(tx, deposit, { from: before.state, at, wasCredited });
  return deposit;
}

async function isCredited(tx: Transaction, { id }: Deposit): Promise<boolean> {
  const { rows } = await tx.query('select from deposit_credits where deposit_id = $1', [id]);
  return rows.length === 1;
}

async function credit(tx: Transaction, deposit: Deposit, at: Date): Promise<void> {
  const { id: depositId, wallet_id: walletId, customer_id: customerId, net_micro_usdc: microUsdc } = deposit;
  await tx.query(
    `insert into deposit_credits (deposit_id, customer_id, wallet_id, micro_usdc, credited_at)
     values ($1, $2, $3, $4, $5)`,
    [depositId, customerId, walletId, microUsdc, at],
  );
  await moveMoney(tx, { walletId, microUsdc, kind: 'deposit', depositId, at });
}

async function takeBack(tx: Transaction, deposit: Deposit, at: Date): Promise<void> {
  const { id: depositId, wallet_id: walletId, customer_id: customerId, net_micro_usdc: microUsdc } = deposit;
  await tx.query(
    `insert into deposit_reversals (deposit_id, customer_id, wallet_id, micro_usdc, reversed_at)
     values ($1, $2, $3, $4, $5)`,
    [depositId, customerId, walletId, microUsdc, at],
  );
  const movement = {
    walletId,
    microUsdc: -microUsdc,
    kind: 'deposit_reversal',
    depositId,
    mayOverdraw: true,
    at,
  } as const;
  await moveMoney(tx, movement);
}

interface News {
  /** Null where the deposit is new. */
  from: DepositState | null;
  at: Date;
  wasCredited: boolean;
}

/** A virtual account has an event for each state, a liquidation address one drain that changes. */
export async function notify(tx: Transaction, deposit: Deposit, { from, at, wasCredited }: News): Promise<void> {
  const event =
    deposit.virtual_account_id === null
      ? drainEvent(deposit, from)
      : await activityEvent(tx, deposit, { at, wasCredited });
  await recordEvents(tx, [event], at);
}

function drainEvent(deposit: Deposit, from: DepositState | null): ObjectEvent {
  return {
    category: 'liquidation_address.drain',
    objectId: deposit.id,
    of: { depositId: deposit.id },
    status: deposit.state,
    object: describeDrain(deposit),
    changes: from === null ? null : { state: [from, deposit.state] },
  };
}

async function activityEvent(
  tx: Transaction,
  deposit: Deposit,
  { at, wasCredited }: Omit<News, 'from'>,
): Promise<ObjectEvent> {
  const id = newId(at);
  const object = describeActivity(deposit, { id, at, wasCredited });
  await tx.query(
    `insert into virtual_account_events (id, virtual_account_id, deposit_id, body, created_at)
     values ($1, $2, $3, $4, $5)`,
    [id, deposit.virtual_account_id, deposit.id, JSON.stringify(object), at],
  );
  return {
    category: 'virtual_account.activity',
    objectId: id,
    of: { depositId: deposit.id },
    status: deposit.state,
    object,
    changes: null,
  };
}
