import type { FundingMethod } from '../banks/index.ts';
import { ledgerEvents, lockBalance, postTransfers, type Line } from '../ledger/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import type { DepositNews } from './merge-deposit-events.ts';
import type { KnownDeposit } from './deposit.ts';
import { applyDepositUpdate, type DepositChange, type DepositStep } from './apply-deposit-update.ts';
import type { FundingDeps } from './deps.ts';
import { encryptSender } from './encrypted-details.ts';
import { lockDeposit, readOwed, writeStep, type StepMoney } from './deposit-store.ts';
import { notifyOfStep } from './notify-of-step.ts';

interface Source extends PartnerContext {
  method: FundingMethod;
}

/**
 * What the bank says of a deposit, in one commit with all that follows from it: the deposit, the ledger's transfer, its
 * history, the partner's list of what happened, and the mail. Says what happened; nothing where it was known.
 *
 * Whoever comes at the same moment waits for the deposit's row, and then finds nothing left to do: that, and the bank's id of
 * it, which is unique, is what credits it once.
 */
export async function applyDeposit(
  deps: FundingDeps,
  source: Source,
  news: DepositNews,
): Promise<DepositStep['what'][]> {
  const { pool, clock, logger } = deps;
  const partnerEnvironment = { partnerId: source.partnerId, environment: source.environment };
  const { change, depositId, isOwed } = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const id = newId(clock);
    const senderEncrypted = news.sender === null ? null : encryptSender(deps.encryptor, id, news.sender);
    const { known, isNew } = await lockDeposit(tx, { ...source, newId: id, senderEncrypted, news, at: clock.now() });
    const followed = applyDepositUpdate(known, news);
    const writing = { partnerEnvironment, method: source.method, known, news };
    const owes = followed !== null && (await writeChange(tx, deps, { ...writing, change: followed }));
    return { change: isNew ? (followed ?? seen) : followed, depositId: known.id, isOwed: owes };
  });
  if (change === null) return [];
  const line = {
    partner_id: partnerEnvironment.partnerId,
    environment: partnerEnvironment.environment,
    deposit_id: depositId,
  };
  for (const { what } of change.steps) logger.info({ ...line, status: what }, 'deposit.changed');
  // An alarm: money at the bank that the books can't follow by themselves.
  if ('trouble' in change && change.trouble !== null) logger.error(line, 'deposit.needs_attention');
  // An alarm: the partner's payments are blocked until it has paid back what it spent.
  if (isOwed) logger.error(line, 'deposit.debt');
  return change.steps.map(({ what }) => what);
}

const seen: Pick<DepositChange, 'steps'> = { steps: [{ what: 'told', state: 'pending' }] };

interface Writing {
  partnerEnvironment: PartnerContext;
  method: FundingMethod;
  known: KnownDeposit;
  change: DepositChange;
  news: DepositNews;
}

/** Whether the partner owes more by it. */
async function writeChange(tx: Transaction, deps: FundingDeps, writing: Writing): Promise<boolean> {
  const { partnerEnvironment, known, change, news } = writing;
  const bankFacts = known.hasSender ? null : news.sender;
  const senderEncrypted = bankFacts === null ? null : encryptSender(deps.encryptor, known.id, bankFacts);
  const at = deps.clock.now();
  let { revision } = known;
  let isOwed = false;
  for (const step of change.steps) {
    const money = await moveMoney(tx, deps, { partnerEnvironment, depositId: known.id, step });
    await writeStep(tx, partnerEnvironment, { id: known.id, from: revision, change, step, money, senderEncrypted, at });
    await notifyOfStep(tx, deps, { ...writing, step, money });
    isOwed ||= money !== null && money.owed > 0n;
    revision += 1;
  }
  return isOwed;
}

interface Moving {
  partnerEnvironment: PartnerContext;
  depositId: string;
  step: DepositStep;
}

/** The wallet is locked first: what it holds, and what the partner owes, decide the lines. */
async function moveMoney(
  tx: Transaction,
  deps: FundingDeps,
  { partnerEnvironment, depositId, step }: Moving,
): Promise<StepMoney | null> {
  if (step.what !== 'credited' && step.what !== 'reversed') return null;
  const holds = await lockBalance(tx, partnerEnvironment);
  const { lines, owed, repaid } =
    step.what === 'credited'
      ? await creditLines(tx, partnerEnvironment, step.amount)
      : reversalLines(step.amount, holds);
  const transferId = newId(deps.clock);
  const reason = `deposit.${step.what}`;
  const [outcome] = await postTransfers(tx, [
    { ...partnerEnvironment, id: transferId, reason, causeId: depositId, lines },
  ]);
  if (outcome?.kind !== 'posted') throw new Error('a wallet changed under its own lock');
  return { transferId, owed, repaid };
}

interface Booked {
  lines: Line[];
  owed: MicroUsdc;
  repaid: MicroUsdc;
}

/** What the partner owes for a deposit that was taken back is settled first: the bank's wallet lacks just that much. */
async function creditLines(tx: Transaction, of: PartnerContext, amount: MicroUsdc): Promise<Booked> {
  const owed = await readOwed(tx, of);
  const repaid = owed < amount ? owed : amount;
  return { lines: ledgerEvents.deposit(amount, repaid), owed: 0n, repaid };
}

function reversalLines(amount: MicroUsdc, walletHolds: MicroUsdc): Booked {
  const owed = walletHolds < amount ? amount - walletHolds : 0n;
  return { lines: ledgerEvents.depositReversed({ amount, walletHolds }), owed, repaid: 0n };
}
