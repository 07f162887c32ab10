import { inTransaction } from '../platform/database/transaction.ts';
import { listCases, type DifferenceCase } from './cases/store.ts';
import { recheckDeposits } from './check-deposits.ts';
import { recheckTransfer } from './check-transfers.ts';
import { equal, type Comparison, type Difference, type Recheck } from './cases/difference.ts';
import { BankSilent, type Comparing } from './deps.ts';

/** What this run has seen by itself. */
interface SeenAlready {
  isBalanceEqual: boolean;
  /** Whether every line up to its cut-off was compared, by it or before. */
  isUpto: boolean;
  /** Whether the bank has listed what it was asked to send back. */
  areRecallsListed: boolean;
}

const unknown: Recheck = { kind: 'unknown' };

/**
 * Cases of earlier runs that this one did not come by: each is looked at by itself, since it may lie before the window. Says
 * which are gone, and adds what differs in another way by now.
 */
export async function recheckOpenCases(
  comparing: Comparing,
  differences: Difference[],
  seen: SeenAlready,
): Promise<Set<string>> {
  const { pool, partnerEnvironment } = comparing;
  const found = new Set(differences.map(keyOf));
  const cases = await inTransaction(pool, partnerEnvironment, async (tx) => listCases(tx, []));
  const open = cases.filter((one) => !one.isClosed && !found.has(keyOf(one)));
  const recheck = await openRechecks(comparing, open, seen);
  const gone = new Set<string>();
  for (const one of open) {
    comparing.signal?.throwIfAborted();
    const now = await recheck(one);
    if (now.kind === 'equal') gone.add(one.id);
    if (now.kind !== 'different') continue;
    if (now.difference.kind !== one.kind) gone.add(one.id);
    if (found.has(keyOf(now.difference))) continue;
    differences.push(now.difference);
    found.add(keyOf(now.difference));
  }
  return gone;
}

function keyOf({ kind, subject }: { kind: string; subject: string }): string {
  return `${kind} ${subject}`;
}

/** A recall is a request, and not a line that is compared. */
function isOfDeposit(kind: string): boolean {
  return kind.startsWith('deposit_') && kind !== 'deposit_recalled';
}

/** Deposits are read from lists, so those of all cases are read at once. */
async function openRechecks(
  comparing: Comparing,
  open: readonly DifferenceCase[],
  { isBalanceEqual, isUpto, areRecallsListed }: SeenAlready,
): Promise<(one: DifferenceCase) => Promise<Recheck>> {
  const ids = open.filter(({ kind }) => isOfDeposit(kind)).map(({ subject }) => subject);
  const deposits = ids.length === 0 ? null : await recheckedDeposits(comparing, ids);
  return async ({ kind, subject, relatedId }) => {
    if (kind === 'wallet_balance') return isBalanceEqual ? equal : unknown;
    if (kind === 'transfers_many') return isUpto ? equal : unknown;
    if (kind === 'transfer_recipient' && comparing.encryptor === null) return unknown;
    if (kind === 'deposit_recalled') return areRecallsListed ? equal : unknown;
    if (isOfDeposit(kind)) return deposits === null ? unknown : (deposits.get(subject) ?? equal);
    return recheckTransfer(comparing, { paymentId: subject, payoutId: relatedId });
  };
}

/** Null where the bank does not answer. */
async function recheckedDeposits(
  comparing: Comparing,
  bankIds: readonly string[],
): Promise<Map<string, Comparison> | null> {
  try {
    return await recheckDeposits(comparing, bankIds);
  } catch (error) {
    if (error instanceof BankSilent) return null;
    throw error;
  }
}
