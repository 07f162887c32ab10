import type { FundingMethod } from '../banks/index.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { isMailAddress } from '../platform/configuration/mail-address.ts';
import type { DepositNews } from './merge-deposit-events.ts';
import type { KnownDeposit } from './deposit.ts';
import type { DepositChange, DepositStep } from './apply-deposit-update.ts';
import { depositCreditedMail } from './mails/deposit-credited.ts';
import { depositReversedMail } from './mails/deposit-reversed.ts';
import type { FundingDeps, NotifyDeps } from './deps.ts';
import { readContact } from './alert-store.ts';
import type { StepMoney } from './deposit-store.ts';

interface Reported {
  partnerEnvironment: PartnerContext;
  method: FundingMethod;
  known: KnownDeposit;
  change: DepositChange;
  news: DepositNews;
  step: DepositStep;
  money: StepMoney | null;
}

const actions = { credited: 'deposit.credit', refunded: 'deposit.refund', reversed: 'deposit.reverse' } as const;

/** The partner's own list of what happened, and a mail where its wallet has changed. */
export async function notifyOfStep(tx: Transaction, deps: FundingDeps, reported: Reported): Promise<void> {
  const { partnerEnvironment, known, step } = reported;
  if (step.what === 'told') return;
  const note = { ...partnerEnvironment, id: newId(deps.clock), status: null, by: 'bank', detail: known.id };
  await deps.recordActivity(tx, { ...note, action: actions[step.what] });
  if (step.what === 'refunded') return;
  const { business, to } = await contactsOf(tx, deps, partnerEnvironment);
  const about = {
    business,
    environment: partnerEnvironment.environment,
    amount: step.amount,
    dashboardUrl: deps.dashboardUrl,
  };
  const message =
    step.what === 'credited'
      ? depositCreditedMail({ ...about, ...factsOf(reported), repaid: reported.money?.repaid ?? 0n })
      : depositReversedMail({ ...about, owed: reported.money?.owed ?? 0n });
  for (const address of to) await deps.outbox.post(tx, { kind: `deposit-${step.what}`, to: address, message });
}

function factsOf({ method, change, news }: Reported) {
  const { sentPence, fee, rate } = change;
  return { method, sentPence, fee, rate, senderName: news.sender?.name ?? null };
}

/** Whom the partner has named, or else its admins. An address that no mail can reach must not keep money from its wallet. */
export async function contactsOf(
  tx: Transaction,
  { listAdmins }: Pick<NotifyDeps, 'listAdmins'>,
  partnerEnvironment: PartnerContext,
): Promise<{ business: string; to: string[] }> {
  const { business, contactEmail } = await readContact(tx, partnerEnvironment.partnerId);
  const named = contactEmail === null ? await listAdmins(tx) : [contactEmail];
  return { business, to: named.filter(isMailAddress) };
}
