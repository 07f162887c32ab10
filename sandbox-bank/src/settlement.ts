import type { BankClock } from './clock.ts';
import { inTransaction, type Pool, type Transaction } from './database.ts';
import type { Log } from './log.ts';
import type { Loop } from './loop.ts';
import { batchSize, startMovingDue } from './move-due.ts';
import { returnedAfterMs, testAccounts, type TestAccount } from './test-accounts.ts';
import { fail, refund, returnMoney } from './transfers/acts.ts';
import { changeStates } from './transfers/change-state.ts';
import type { State, Transfer } from './transfers/transfer.ts';

interface SettlementDeps {
  pool: Pool;
  clock: BankClock;
  log: Log;
  settleAfterMs: number;
}

/** Moves transfers on when they are due. When that is stands in the database, so a restart changes nothing. */
export function startSettlement(deps: SettlementDeps): Loop {
  return startMovingDue('transfers', deps, async () => moveBatch(deps));
}

async function moveBatch({ pool, clock, settleAfterMs }: SettlementDeps): Promise<number> {
  const at = clock.now();
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<Transfer>(
      `select * from transfers where next_at <= $1 order by next_at limit $2 for update skip locked`,
      [at, batchSize],
    );
    await showHidden(tx, rows);
    const giveBack = rows.filter(({ next_state: to }) => to === 'undeliverable' || to === 'returned');
    for (const transfer of giveBack) await sendBack(tx, transfer, at);
    const onward = rows.filter((transfer) => !giveBack.includes(transfer));
    const changes = onward.map((transfer) => changeOf(transfer, settleAfterMs));
    if (changes.length > 0) await changeStates(tx, changes, at);
    return rows.length;
  });
}

/** The time is over for which nobody was to hear of them. */
async function showHidden(tx: Transaction, due: readonly Transfer[]): Promise<void> {
  const hidden = due.filter((transfer) => transfer.forgotten && doesOf(transfer) === 'hide');
  if (hidden.length === 0) return;
  await tx.query('update transfers set forgotten = false where id = any($1)', [hidden.map(({ id }) => id)]);
}

function doesOf({ test_account: number }: Transfer): TestAccount['does'] | undefined {
  return number === null ? undefined : testAccounts.get(number)?.does;
}

/** A payment to a test account that fails or comes back, with its money. */
async function sendBack(tx: Transaction, transfer: Transfer, at: Date): Promise<void> {
  const account = testAccounts.get(transfer.test_account ?? '');
  if (account === undefined || !('reason' in account)) throw new Error('a transfer is due for nothing');
  const { reason } = account;
  if (transfer.next_state === 'returned') await returnMoney(tx, transfer, { reason, microUsdc: null, at });
  else await refund(tx, await fail(tx, transfer, reason, at), { microUsdc: null, at });
}

interface Next {
  state: State;
  at: Date;
}

/** What is due for a transfer now, and what after that. */
function changeOf(transfer: Transfer, settleAfterMs: number): { transfer: Transfer; to: State; next?: Next } {
  const { next_state: to, next_at: dueAt } = transfer;
  if (to === null || dueAt === null) throw new Error('a transfer is due for nothing');
  const [state, afterMs] = afterwards(to, doesOf(transfer), settleAfterMs);
  if (state === null) return { transfer, to };
  // Counted from when it was due, not from when it was done: a bank that was down for a while is not late ever after.
  return { transfer, to, next: { state, at: new Date(dueAt.getTime() + afterMs) } };
}

function afterwards(
  state: State,
  does: TestAccount['does'] | undefined,
  settleAfterMs: number,
): [state: State | null, afterMs: number] {
  if (state === 'payment_processed' && does === 'return_late') return ['returned', returnedAfterMs];
  if (state !== 'payment_submitted') return [null, 0];
  const end = does === 'fail' ? 'undeliverable' : does === 'return' ? 'returned' : 'payment_processed';
  return [end, settleAfterMs - Math.floor(settleAfterMs / 3)];
}
