import type { Recall, RecallPage } from '../banks/index.ts';
import { inReadOnlyTransaction } from '../platform/database/transaction.ts';
import type { Difference } from './cases/difference.ts';
import { lateChangesMs } from './cut-off.ts';
import type { Comparing } from './deps.ts';
import { findDepositStates } from './store.ts';

/** A hundred each: more would not be a partner but a fraud. */
const mostPages = 20;

/** Money that was sent back already is not asked for any more. */
const sentBack = new Set(['reversed', 'refunded']);

/**
 * Deposits that their senders' banks want back, by the bank's own requests. The money is here until a person sends it back, so
 * each is a case. Null where the bank does not list them: that says nothing of what is compared.
 */
export async function checkRecalls(comparing: Comparing): Promise<Difference[] | null> {
  const recalls = await listRecalls(comparing);
  if (recalls === null) return null;
  const { pool, partnerEnvironment } = comparing;
  const ids = recalls.map(({ depositId }) => depositId);
  const states = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) => findDepositStates(tx, ids));
  const open = recalls.filter(({ depositId }) => !sentBack.has(states.get(depositId)?.state ?? ''));
  const byDeposit = new Map(open.map((recall) => [recall.depositId, recall]));
  return [...byDeposit.values()].map(({ depositId, isFraud }) => ({
    kind: 'deposit_recalled',
    subject: depositId,
    relatedId: states.get(depositId)?.id ?? null,
    amount: null,
    detail: `the sender's bank recalled the deposit${isFraud ? ' as fraud' : ''}`,
  }));
}

/** Of the last hundred days. */
async function listRecalls({ bank, partnerEnvironment, run, signal }: Comparing): Promise<Recall[] | null> {
  const oldest = new Date(run.cutOff.getTime() - lateChangesMs);
  const found: Recall[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    signal?.throwIfAborted();
    const page: RecallPage | null = await bank.listRecalls(partnerEnvironment.customerId, after);
    if (page === null) return null;
    const recent = page.recalls.filter(({ createdAt }) => createdAt === null || createdAt >= oldest);
    found.push(...recent);
    if (page.next === null || recent.length === 0) break;
    after = page.next;
  }
  return found;
}
