import { ledgerEvents, type Line } from '../../ledger/index.ts';
import type { MicroUsdc } from '../../money/amounts.ts';

/** From where to where a correction books: what the bank has and nobody's it is, whose it turns out to be, or both at once. */
export type Booking = 'bank-to-suspense' | 'suspense-to-wallet' | 'bank-to-wallet';

/** A transfer each. A negative amount goes the other way. */
export function correctionLines(booking: Booking, amount: MicroUsdc): Line[][] {
  const found = ledgerEvents.bankDifferenceFound(amount);
  const given = ledgerEvents.suspenseResolved(amount);
  switch (booking) {
    case 'bank-to-suspense':
      return [found];
    case 'suspense-to-wallet':
      return [given];
    case 'bank-to-wallet':
      return [found, given];
  }
}
