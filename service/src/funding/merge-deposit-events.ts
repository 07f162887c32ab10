import type { DepositLine, DepositSender, DepositEvent } from '../banks/index.ts';
import type { MicroUsdc, Pence } from '../money/amounts.ts';

/** All that one reading of the bank's list says of a deposit. */
export interface DepositNews {
  depositId: string;
  /** When its oldest line is from. */
  listedAt: Date | null;
  /** The bank's newest word. */
  bankState: string;
  isProcessed: boolean;
  isRefunded: boolean;
  /** The newest word is one that a person has to look at. */
  needsAttention: boolean;
  sentPence: Pence | null;
  /** What it brings, and what was taken back, each where the bank said so. */
  net: MicroUsdc | null;
  takenBack: MicroUsdc | null;
  fee: MicroUsdc | null;
  sender: DepositSender | null;
}

function nothingSaid(depositId: string, listedAt: Date | null): DepositNews {
  const amounts = { sentPence: null, net: null, takenBack: null, fee: null, sender: null };
  return {
    depositId,
    listedAt,
    bankState: '',
    isProcessed: false,
    isRefunded: false,
    needsAttention: false,
    ...amounts,
  };
}

function add(before: DepositNews, event: DepositEvent): DepositNews {
  const news = {
    ...before,
    bankState: event.bankState,
    needsAttention: event.state === 'needs_attention',
    // What went back in pounds was sent before, and may be less than that was.
    sentPence: before.sentPence ?? event.sentPence,
    sender: before.sender ?? event.sender,
  };
  const isProcessed = before.isProcessed || (event.wasProcessed && event.state !== 'arriving');
  if (event.state !== 'refunded')
    return { ...news, isProcessed, net: event.net ?? before.net, fee: event.fee ?? before.fee };
  const brought = event.wasProcessed ? { net: before.net ?? event.net, fee: before.fee ?? event.fee } : {};
  return { ...news, ...brought, isProcessed, isRefunded: true, takenBack: event.net };
}

/**
 * A virtual account has a line for each step of a deposit. Put together, reading the same lines twice says the same twice,
 * and lines that came in another order than they were read say the same as in theirs.
 */
export function mergeDepositEvents(oldestFirst: readonly DepositLine[]): DepositNews[] {
  const byDeposit = new Map<string, DepositNews>();
  for (const { event, at } of oldestFirst) {
    if (event === null) continue;
    const before = byDeposit.get(event.depositId) ?? nothingSaid(event.depositId, at);
    byDeposit.set(event.depositId, add(before, event));
  }
  return [...byDeposit.values()];
}
