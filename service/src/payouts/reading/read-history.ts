import type { Archive } from '../../archive/index.ts';
import { listEntries, type EntryRow } from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext, type Transaction } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import { isVisible, isVisibleState, type Payout, type ShownPayout, type VisiblePayout } from '../model/payout.ts';
import { payoutNotFound } from './read-payouts.ts';
import { findHereOrArchived, readArchivedEntries } from '../records/archived-payouts.ts';
import { findOwnPayout, listOwnHistory, readArchivedHistory, type HistoryRow } from '../records/payout-store.ts';

/** A moment at which a payout became something else, or its money came back. */
interface HistoryStep {
  at: Date;
  status: ShownPayout['state'];
  by: string;
  isRefund: boolean;
}

/** What a payout did to the partner's own money. */
export interface OwnLine {
  at: Date;
  account: 'wallet' | 'invoice';
  direction: 'out' | 'in';
  /** Micro-USDC of the wallet, pence of the invoice. */
  amount: bigint;
  reason: string;
  walletAfter: bigint | null;
}

export interface PayoutHistory {
  payout: VisiblePayout;
  steps: HistoryStep[];
  lines: OwnLine[];
}

/** What is moved between our own accounts is our matter. */
const ownAccounts: Readonly<Partial<Record<EntryRow['account'], OwnLine['account']>>> = {
  wallet: 'wallet',
  receivable: 'invoice',
  credit_due: 'invoice',
};

function ownLine(row: EntryRow): OwnLine[] {
  const account = ownAccounts[row.account];
  if (account === undefined) return [];
  const amount = BigInt(row.amount);
  return [
    {
      at: instantOf(row.transfer_id),
      account,
      // A debit of the wallet leaves it, and so does what is put on the invoice.
      direction: amount > 0n ? 'out' : 'in',
      amount: amount > 0n ? amount : -amount,
      reason: row.reason,
      walletAfter: row.wallet_balance_after === null ? null : BigInt(row.wallet_balance_after),
    },
  ];
}

/** Tries and looks that changed nothing are left out. */
function stepsOf(history: readonly HistoryRow[]): HistoryStep[] {
  const steps: HistoryStep[] = [];
  for (const { at, state, by, what } of history) {
    if (!isVisibleState(state)) continue;
    const isRefund = what === 'refunded';
    if (steps.at(-1)?.status !== state || isRefund) steps.push({ at, status: state, by, isRefund });
  }
  return steps;
}

interface HistoryDeps {
  pool: Pool;
  archive: Archive;
}

/** From the order to now, of one of the caller's own payouts: every state with who and when, and what it did to its money. */
export async function readHistory(
  { pool, archive }: HistoryDeps,
  of: PartnerContext,
  id: string,
): Promise<PayoutHistory> {
  const { partnerId, environment } = of;
  const found = await findHereOrArchived(
    archive,
    { partnerId, environment, id },
    {
      findHere: async () =>
        inReadOnlyTransaction(pool, of, async (tx) => {
          const payout = await findOwnPayout(tx, of, id);
          return payout === null ? null : historyOf(tx, payout, await listOwnHistory(tx, of, id));
        }),
      read: async (line, month) => {
        const entries = await readArchivedEntries(archive, line, month);
        return inReadOnlyTransaction(pool, of, async (tx) => {
          const { payout, history } = await readArchivedHistory(tx, line);
          return historyOf(tx, payout, history, entries);
        });
      },
    },
  );
  if (found === null || found === 'hidden') throw payoutNotFound();
  return found;
}

async function historyOf(
  tx: Transaction,
  payout: Payout,
  history: readonly HistoryRow[],
  archived: readonly string[] = [],
): Promise<PayoutHistory | 'hidden'> {
  if (!isVisible(payout)) return 'hidden';
  const transfers = history.flatMap((row) => row.transfer_ids);
  const entries = await listEntries(tx, transfers, archived);
  const found = new Set(entries.map(({ transfer_id: id }) => id));
  // No answer is better than one that leaves money out.
  if (transfers.some((id) => !found.has(id))) throw new Error('a transfer of a payout is in no ledger');
  return { payout, steps: stepsOf(history), lines: entries.flatMap(ownLine) };
}
