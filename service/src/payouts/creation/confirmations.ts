import { getAccount } from '../../partners/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { AskedConfirmation } from '../../platform/acts/confirmed-act.ts';
import type { KeyedDigest, VersionedDigest } from '../../platform/keyed-digest.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { ApiError } from '../../platform/api-error.ts';
import { confirmPayoutMail } from '../mails/confirm-payout.ts';
import { fingerprintOf, orderIdOf, type GivenCode, type PayoutOrder } from '../model/order.ts';

/** Who confirms, and exactly what. */
export interface ToConfirm {
  partnerId: string;
  sessionId: string;
  email: string;
  /** Differs for any two orders that differ in anything. */
  what: string;
}

/** Codes that are mailed to a person. Who a person is, and what is kept of a code, is another module's matter. */
export interface Confirmations {
  /** Mails a new code for this alone, and says until when it is good. An earlier one for the same is worth nothing then. */
  ask(toConfirm: ToConfirm, mailWith: (code: string) => MailMessage): Promise<AskedConfirmation>;
  given(toConfirm: ToConfirm, code: string): GivenCode;
  /** Judges a code and uses it up in the transaction. False counts as a guess, once that commits. */
  use(tx: Transaction, toConfirm: ToConfirm, code: string): Promise<boolean>;
}

interface Ordered extends PartnerContext {
  via: 'api' | 'dashboard';
  callerId: string;
  by: string;
  idempotencyKey: string;
  order: PayoutOrder;
}

/** A person who pays with real money. A key was given to a program on purpose; an open browser may be anybody's. */
export function isToConfirm({ via, environment }: Pick<Ordered, 'via' | 'environment'>): boolean {
  return via === 'dashboard' && environment === 'live';
}

/** All of the order and its idempotency key, as digests: moved to anything else, a code fits nothing. */
export function orderToConfirm(bodyDigest: KeyedDigest, request: Ordered): ToConfirm {
  const orderId = orderIdOf(request, request.idempotencyKey);
  return {
    partnerId: request.partnerId,
    sessionId: request.callerId,
    email: request.by,
    what: `${orderId}|${fingerprintOf(bodyDigest, request.order).toString('hex')}`,
  };
}

export const wrongCode = {
  code: 'invalid_confirm_code',
  message:
    'This code does not confirm this payout. Nothing was sent. Repeat the request without confirm_code to get a new code.',
} as const;

interface AskDeps {
  calls: SingleCalls;
  bodyDigest: VersionedDigest;
  confirmations: Confirmations;
}

/** Mails a code, and gives the refusal that says so. */
export async function askToConfirm({ calls, bodyDigest, confirmations }: AskDeps, request: Ordered): Promise<ApiError> {
  const { name: businessName } = await getAccount(calls, request);
  const { amount, reference, recipient } = request.order;
  const { goodUntil, passkey } = await confirmations.ask(orderToConfirm(bodyDigest.newest, request), (code) =>
    confirmPayoutMail({
      code,
      businessName,
      amount,
      reference,
      recipientName: `${recipient.firstName} ${recipient.lastName}`,
      accountLast4: recipient.accountNumber.slice(-4),
    }),
  );
  return new ApiError({
    code: 'confirmation_required',
    message:
      passkey === null
        ? 'We emailed you a code. Repeat the request with the code as confirm_code. Nothing was sent yet.'
        : 'We emailed you a code. Prove the payout with your passkey, then repeat the request with the code as confirm_code. Nothing was sent yet.',
    details: { good_until: goodUntil.toISOString(), ...(passkey === null ? {} : { passkey }) },
  });
}
