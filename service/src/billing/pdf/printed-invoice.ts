import type { Day } from '../../platform/london-day.ts';

/** What stands on the paper of an invoice. Amounts are the API's own texts: what is printed is what was answered. */
export interface PrintedInvoice {
  number: string;
  /** As 2026-11. */
  period: string;
  status: string;
  /** Null on a draft. */
  issuedAt: Date | null;
  dueAt: Date | null;
  billedTo: { name: string; email: string | null };
  lines: readonly PrintedLine[];
  totalGbp: string;
  /** What is left to pay, where a part is paid; null otherwise. */
  leftGbp: string | null;
  /** When the last payment was received; null unless it is paid. */
  paidOn: Day | null;
  /** What is left of a credit that was more than the charges, for the next invoice; null where nothing is. */
  creditCarriedGbp: string | null;
}

export interface PrintedLine {
  /** `credit` is subtracted. */
  kind: string;
  description: string;
  quantity: number;
  unitPriceGbp: string;
  amountGbp: string;
}

/** Who sends the invoice, and where it is paid to. */
export interface InvoiceIssuer {
  name: string;
  /** The address, and how we are reached: one line each. */
  details: readonly string[];
  payTo: { name: string; sortCode: string; accountNumber: string } | null;
}

/** As in "£1,234.56"; a credit as in "−£12.00". */
export function printPounds(pounds: string, sign: '' | '−' = ''): string {
  const [whole = '', pence = ''] = pounds.split('.');
  return `${sign}£${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${pence}`;
}

const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', dateStyle: 'long' });
const month = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });

/** As in "1 December 2026", by the clocks of London. */
export function printDay(instant: Date): string {
  return day.format(instant);
}

/** As in "November 2026". */
export function printMonth(period: string): string {
  return month.format(new Date(`${period}-01T00:00:00Z`));
}

/**
 * Control characters, what turns the direction of a line, and what can not be seen have no place on paper; letters have their
 * accents on them, and half of a character is none.
 */
export function onPaper(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Cs}/gu, '?');
}
