import type { BankCustomers } from '../banks/index.ts';
import { ledgerEvents, lockBalance, postTransfers, type Transfer } from '../ledger/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { sandboxFloat } from './open-sandbox.ts';
import { connectEnvironment, findWaiting } from './store.ts';

interface ConnectDeps {
  pool: Pool;
  clock: Clock;
  bank: BankCustomers;
}

type ConnectOutcome =
  | { kind: 'connected' }
  /** Somebody else was faster. */
  | { kind: 'not_waiting' }
  | { kind: 'failed'; text: string };

/**
 * Connects a partner's sandbox to the sandbox bank. What the bank opened and we did not live to write down is found again by
 * the same keys. Past a day the bank refuses a key, so that another day has others: what an earlier day left there is test
 * money that nobody knows of.
 */
export async function connectSandbox(deps: ConnectDeps, partnerId: string): Promise<ConnectOutcome> {
  const partnerEnvironment = { partnerId, environment: 'sandbox' } as const;
  const partner = await inTransaction(deps.pool, partnerEnvironment, async (tx) => findWaiting(tx, partnerEnvironment));
  if (partner === null) return { kind: 'not_waiting' };
  const key = `${partnerId}-sandbox-${deps.clock.now().toISOString().slice(0, 10)}`;
  const opened = await deps.bank.openCustomer({
    name: partner.name,
    // Partners have no address yet, and mail about test money is for nobody: this domain is reserved, and delivers nowhere.
    email: `${partner.slug}@sandbox.kelpie.example`,
    idempotencyKeys: { customer: `${key}-customer`, wallet: `${key}-wallet` },
  });
  if (opened.kind === 'failed') return opened;
  const isOurs = await inTransaction(deps.pool, partnerEnvironment, async (tx) =>
    moveToBank(tx, deps.clock, partnerEnvironment, opened),
  );
  return { kind: isOurs ? 'connected' : 'not_waiting' };
}

/**
 * One commit: the rail, the end of the simulated wallet, and the float of the new one. The wallet is locked before the rail
 * changes: a payout on its way to the simulated rail is then either all before this, or is refused and made on the new one.
 * Payouts that are still under way hold nothing of what is closed: the simulated rail takes exactly what was held for it.
 */
export async function moveToBank(
  tx: Transaction,
  clock: Clock,
  partnerEnvironment: PartnerContext,
  atBank: { customerId: string; walletId: string },
): Promise<boolean> {
  const left = await lockBalance(tx, partnerEnvironment);
  if (!(await connectEnvironment(tx, partnerEnvironment, atBank))) return false;
  const closed = transferOf(partnerEnvironment, clock, {
    reason: 'sandbox.closed',
    lines: ledgerEvents.sandboxClosed(left),
  });
  const float = transferOf(partnerEnvironment, clock, {
    reason: 'sandbox.float',
    lines: ledgerEvents.deposit(sandboxFloat),
  });
  // What was spent to the last cent leaves nothing to close.
  const outcomes = await postTransfers(tx, left === 0n ? [float] : [closed, float]);
  if (outcomes.some(({ kind }) => kind !== 'posted')) throw new Error('a wallet changed under its own lock');
  return true;
}

function transferOf(
  partnerEnvironment: PartnerContext,
  clock: Clock,
  what: Pick<Transfer, 'reason' | 'lines'>,
): Transfer {
  const id = newId(clock);
  return { ...partnerEnvironment, ...what, id, causeId: id };
}
