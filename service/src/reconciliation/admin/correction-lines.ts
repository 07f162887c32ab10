import { ledgerEvents, type Line } from '../../ledger/index.ts';
import type { MicroUsdc } from '../../money/amounts.ts';

/** Suspense holds a difference whose owner is not known yet. */
export type Booking = 'bank-to-suspense' | 'suspense-to-wallet' | 'bank-to-wallet';

/** One list of lines per transfer. A negative amount books the reverse. */
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
