import type { Pence } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import { enqueueStatusEmail } from './status-emails.ts';
import { insertPayment, type Payment, type PaymentOutcome } from './store.ts';

/** A payment that was not recorded. What its transaction has written besides, as the audit entry, must not stay either. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  readonly outcome: PaymentOutcome;
  /** What is left to pay. */
  readonly left: Pence;

  constructor(outcome: PaymentOutcome, left: Pence) {
    super(`payment ${outcome}`);
    this.outcome = outcome;
    this.left = left;
  }
}

interface NewPayment extends Payment {
  partnerId: string;
  at: Date;
  /** Refuses a payment of less than what is left to pay: a part is recorded by a person who has looked at it. */
  mustSettle: boolean;
}

/** In a transaction that has recorded the act. Says what is left to pay; once nothing is, the partner is emailed. */
export async function recordPayment(
  tx: Transaction,
  jobs: Pick<JobSender, 'enqueue'>,
  { partnerId, mustSettle, ...payment }: NewPayment,
): Promise<Pence> {
  const { invoiceId, at } = payment;
  const { outcome, left } = await insertPayment(tx, { ...payment, transferId: newId({ now: () => at }) });
  if (outcome === 'paid') await enqueueStatusEmail(tx, jobs, { partnerId, invoiceId, status: 'paid' });
  else if (outcome !== 'part_paid' || mustSettle) throw new PaymentRefused(outcome, left);
  return left;
}
