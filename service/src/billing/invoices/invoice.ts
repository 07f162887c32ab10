import type { MicroGbp, Pence } from '../../money/amounts.ts';
import { formatPounds } from '../../money/amounts.ts';
import { wholePence } from '../../money/fees.ts';
import { endOfDay, type Day } from '../../platform/london-day.ts';
import type { Month } from '../../platform/london-month.ts';

/** The kinds of line, in the order that an invoice has them in. */
export const lineKinds = [
  'payout_fees',
  'network_fees',
  'bank_exceptions',
  'monthly_account',
  'business_verification',
  'credit',
] as const;
export type LineKind = (typeof lineKinds)[number];

export interface InvoiceLine {
  kind: LineKind;
  description: string;
  /** Their product is the amount, always: a sum of unequal things is one thing. */
  quantity: bigint;
  unitPrice: Pence;
  amount: Pence;
  /** How many items are behind it. */
  items: number;
}

export interface Invoice {
  id: string;
  number: bigint;
  period: Month;
  beginsAt: Date;
  endsAt: Date;
  status: 'draft' | 'issued' | 'overdue' | 'paid' | 'void';
  /** As it was when the invoice was issued. */
  billedTo: { name: string; email: string | null };
  total: Pence;
  carriedIn: Pence;
  carriedOut: Pence;
  issuedAt: Date;
  dueAt: Date;
  /** The sum of its payments. */
  paid: Pence;
  /** When the payment that settled it was received; null unless it is paid. */
  paidOn: Day | null;
  voidedAt: Date | null;
  lines: InvoiceLine[];
}

/** What the ledger has of one reason, charges and what took them back apart; in pence, or in millionths where it accrues. */
export interface Gathered {
  reason: string;
  isTakenBack: boolean;
  items: number;
  amount: bigint;
}

/** The credit that a void invoice had used, or what was credited for its charges since and taken back. */
const creditOfVoid = 'credit.voided_invoice';

/** Which line an entry is on, by its reason. */
const kinds: Readonly<Record<string, LineKind>> = {
  'charge.payout_fees': 'payout_fees',
  'charge.network_fees': 'network_fees',
  'charge.bank_exceptions': 'bank_exceptions',
  'charge.monthly_account': 'monthly_account',
  'charge.business_verification': 'business_verification',
  'credit.payout_fees': 'credit',
  'credit.provider_fee': 'credit',
  [creditOfVoid]: 'credit',
};

export function kindOfReason(reason: string): LineKind {
  const kind = kinds[reason];
  if (kind === undefined) throw new Error('an entry that belongs on no line of an invoice');
  return kind;
}

export function reasonsOfKind(kind: LineKind): string[] {
  return Object.keys(kinds).filter((reason) => kinds[reason] === kind);
}

interface OfKind {
  items: number;
  takenBack: number;
  reasons: readonly string[];
  /** A credit is as positive as a charge here. */
  amount: bigint;
}

const nothing: OfKind = { items: 0, takenBack: 0, reasons: [], amount: 0n };

function addUp(gathered: readonly Gathered[]): Map<LineKind, OfKind> {
  const sums = new Map<LineKind, OfKind>();
  for (const { reason, isTakenBack, items, amount } of gathered) {
    const kind = kindOfReason(reason);
    const sum = sums.get(kind) ?? nothing;
    sums.set(kind, {
      items: sum.items + items,
      takenBack: sum.takenBack + (isTakenBack ? items : 0),
      reasons: [...sum.reasons, reason],
      amount: sum.amount + (kind === 'credit' ? -amount : amount),
    });
  }
  return sums;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function describe(kind: LineKind, { items, takenBack, reasons }: OfKind, period: Month, carriedIn: Pence): string {
  switch (kind) {
    case 'payout_fees': {
      const arrived = counted(items - takenBack, 'completed payout');
      return takenBack === 0 ? `Payout fees, ${arrived}` : `Payout fees, ${arrived}, of which ${takenBack} returned`;
    }
    case 'network_fees':
      return `Network fees, ${counted(items, 'completed payout')}`;
    case 'bank_exceptions':
      return `Bank exceptions (returns, recalls, traces), ${items} in all`;
    case 'monthly_account':
      return `Monthly account, ${period}`;
    case 'business_verification':
      return 'Business verification';
    case 'credit': {
      const returned = reasons.some((reason) => reason !== creditOfVoid) ? ['for returned payouts'] : [];
      const ofVoid = reasons.includes(creditOfVoid) ? ['for a void invoice'] : [];
      const carried = carriedIn === 0n ? [] : [`${formatPounds(carriedIn)} carried over from before`];
      return `Credit ${[...returned, ...ofVoid, ...carried].join(', with ')}`;
    }
  }
}

/** What an invoice says, and what it books itself. */
export interface Drafted {
  lines: InvoiceLine[];
  total: Pence;
  carriedOut: Pence;
  /** Of network fees, before they are rounded. */
  accrued: MicroGbp;
  networkFees: Pence;
  creditUsed: Pence;
}

/**
 * The lines of what was posted, and of the credit that was left over before. A credit is subtracted; what there is more of it
 * than of charges is carried over.
 */
export function draftInvoice(period: Month, gathered: readonly Gathered[], carriedIn: Pence): Drafted {
  const sums = addUp(gathered);
  if (carriedIn > 0n) {
    const credit = sums.get('credit') ?? nothing;
    sums.set('credit', { ...credit, amount: credit.amount + carriedIn });
  }
  const lines = lineKinds.flatMap((kind): InvoiceLine[] => {
    const sum = sums.get(kind);
    if (sum === undefined) return [];
    const amount = kind === 'network_fees' ? wholePence(sum.amount) : sum.amount;
    if (amount < 0n) throw new Error('a line below zero: more was taken back than was charged');
    const items = sum.items + (kind === 'credit' && carriedIn > 0n ? 1 : 0);
    const description = describe(kind, sum, period, carriedIn);
    return [{ kind, description, quantity: 1n, unitPrice: amount, amount, items }];
  });
  const amountOf = (isWanted: (kind: LineKind) => boolean): Pence =>
    lines.filter(({ kind }) => isWanted(kind)).reduce((sum, { amount }) => sum + amount, 0n);
  const charges = amountOf((kind) => kind !== 'credit');
  const credit = amountOf((kind) => kind === 'credit');
  const creditUsed = credit < charges ? credit : charges;
  return {
    lines,
    total: charges - creditUsed,
    carriedOut: credit - creditUsed,
    accrued: sums.get('network_fees')?.amount ?? 0n,
    networkFees: amountOf((kind) => kind === 'network_fees'),
    creditUsed,
  };
}

/** As people read it. */
export function invoiceNumber(number: bigint): string {
  return `KP-${number.toString().padStart(6, '0')}`;
}

/**
 * One of which something is left to pay is overdue once the day on which it is due is over in London, also before the daily
 * job has marked it. One of nothing never is.
 */
export function shownStatus({ status, total, dueAt }: Invoice, now: Date): Invoice['status'] {
  return status === 'issued' && total > 0n && endOfDay(dueAt) <= now ? 'overdue' : status;
}
