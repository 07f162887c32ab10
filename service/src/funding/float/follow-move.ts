import { walletTransferReference, type Payment, type PaymentRecord, type SendOutcome } from '../../banks/index.ts';
import { ledgerEvents, postTransfers } from '../../ledger/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { FloatBank, FloatDeps } from './deps.ts';
import { endMove, recordAtBank, type OpenMove } from './store.ts';

const hourMs = 3_600_000;
/** The bank replays a key for 24 hours. Later the same request would be another transfer. */
const sendWithinMs = 23 * hourMs;
/** After so long without a trace of it in the bank's list, it was never made. */
const giveUpAfterMs = 48 * hourMs;
/** A hundred transfers each: more than a customer has in two days, or the list proves nothing. */
const mostPages = 500;

interface Following extends FloatDeps {
  bank: FloatBank;
  move: OpenMove;
}

/** Takes an open move a step further: asks the bank to make it, or what became of it. Safe to repeat, and to do twice at once. */
export async function followMove(deps: FloatDeps, move: OpenMove): Promise<void> {
  const bank = deps.banks[move.of.rail];
  const float = deps.floats[move.of.rail];
  if (bank === null || float === null) return;
  const following = { ...deps, bank, move };
  if (move.bankPaymentId !== null) return look(following, move.bankPaymentId);
  const ageMs = deps.clock.now().getTime() - move.createdAt.getTime();
  if (ageMs > sendWithinMs) return search(following, ageMs);
  const [from, to] = move.kind === 'top_up' ? [float, move.of] : [move.of, float];
  const order = {
    from,
    to,
    amount: move.amount,
    ourReference: walletTransferReference(move.id),
    idempotencyKey: move.id,
  };
  await applySent(following, await bank.transferBetweenWallets(order));
}

async function inMove<Result>({ pool, move }: Following, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const { partnerId, environment } = move.of;
  return inTransaction(pool, { partnerId, environment }, work);
}

async function applySent(following: Following, sent: SendOutcome): Promise<void> {
  if (sent.kind === 'accepted') return apply(following, sent.payment);
  // Another process may be asking for the same move. Only an answer that the bank keeps holds for both.
  const isDefinite = sent.kind === 'rejected' && sent.isKept;
  const line = { ...lineOf(following), action: following.move.kind };
  if (!isDefinite) return following.logger.warn(line, 'float.not_answered');
  // An alarm: as a rule the wallet that should send does not hold it.
  if (await end(following, 'failed')) following.logger.error(line, 'float.refused');
}

function lineOf({ move }: Following): { partner_id: string; environment: string } {
  return { partner_id: move.of.partnerId, environment: move.of.environment };
}

async function look(following: Following, paymentId: string): Promise<void> {
  const found = await following.bank.findPayment(paymentId);
  if (found.kind === 'found') await apply(following, found.payment);
}

/** Through the sender's list, because its key is too old to be used again. */
async function search(following: Following, ageMs: number): Promise<void> {
  const { bank, move, floats, logger } = following;
  const sender = move.kind === 'top_up' ? floats[move.of.rail] : move.of;
  const reference = walletTransferReference(move.id);
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await bank.listPayments(sender?.customerId ?? '', after);
    if (page === null) return;
    const found = page.payments.find(({ ourReference }) => ourReference === reference);
    if (found !== undefined) return apply(following, found);
    if (page.next === null || isBefore(page.payments, move.createdAt)) break;
    after = page.next;
  }
  if (ageMs < giveUpAfterMs) return logger.warn(lineOf(following), 'float.not_found');
  if (await end(following, 'failed')) logger.error(lineOf(following), 'float.given_up');
}

/** The list goes back to before the move, with an hour for clocks that differ. */
function isBefore(payments: readonly PaymentRecord[], at: Date): boolean {
  const oldest = payments.at(-1)?.createdAt ?? null;
  return oldest !== null && oldest.getTime() < at.getTime() - hourMs;
}

async function apply(following: Following, payment: Payment): Promise<void> {
  const { move, logger } = following;
  switch (payment.state) {
    case 'arrived':
      await end(following, 'done', payment);
      return;
    case 'refunded':
    case 'cancelled':
      if (await end(following, 'failed', payment)) logger.error(lineOf(following), 'float.refused');
      return;
    case 'needs_attention':
    case 'undeliverable':
    case 'coming_back':
    case 'accepted':
    case 'under_way': {
      const { id: paymentId, bankState } = payment;
      await inMove(following, async (tx) => recordAtBank(tx, { id: move.id, paymentId, bankState }));
      const isNews = move.bankState !== bankState;
      if (payment.state === 'needs_attention' && isNews)
        logger.error({ ...lineOf(following), status: bankState }, 'float.needs_attention');
    }
  }
}

/** The move's end and its booking, in one commit. False where another process was faster. */
async function end(following: Following, state: 'done' | 'failed', payment: Payment | null = null): Promise<boolean> {
  const { move, clock, logger } = following;
  const { partnerId, environment } = move.of;
  const isEnded = await inMove(following, async (tx) => {
    if (payment !== null) {
      const { id: paymentId, bankState } = payment;
      if (!(await recordAtBank(tx, { id: move.id, paymentId, bankState }))) return false;
    }
    const transferId = newId(clock);
    if (!(await endMove(tx, { id: move.id, state, transferId, at: clock.now() }))) return false;
    const [lines, reason] =
      state === 'done'
        ? [ledgerEvents.floatArrived(move), 'float.arrived']
        : [ledgerEvents.floatFailed(move), 'float.failed'];
    await postTransfers(tx, [{ partnerId, environment, id: transferId, reason, causeId: move.id, lines }]);
    return true;
  });
  if (isEnded) logger.info({ ...lineOf(following), action: move.kind, status: state }, 'float.moved');
  return isEnded;
}
