import type { DepositLine, DepositSender, DepositWord } from '../banks/index.ts';
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

function add(before: DepositNews, word: DepositWord): DepositNews {
  const news = {
    ...before,
    bankState: word.bankState,
    needsAttention: word.state === 'needs_attention',
    // What went back in pounds was sent before, and may be less than that was.
    sentPence: before.sentPence ?? word.sentPence,
    sender: before.sender ?? word.sender,
  };
  const isProcessed = before.isProcessed || (word.wasProcessed && word.state !== 'arriving');
  if (word.state !== 'refunded')
    return { ...news, isProcessed, net: word.net ?? before.net, fee: word.fee ?? before.fee };
  const brought = word.wasProcessed ? { net: before.net ?? word.net, fee: before.fee ?? word.fee } : {};
  return { ...news, ...brought, isProcessed, isRefunded: true, takenBack: word.net };
}

/**
 * A virtual account has a line for each step of a deposit. Put together, reading the same lines twice says the same twice,
 * and lines that came in another order than they were read say the same as in theirs.
 */
export function combineWords(oldestFirst: readonly DepositLine[]): DepositNews[] {
  const byDeposit = new Map<string, DepositNews>();
  for (const { word, at } of oldestFirst) {
    if (word === null) continue;
    const before = byDeposit.get(word.depositId) ?? nothingSaid(word.depositId, at);
    byDeposit.set(word.depositId, add(before, word));
  }
  return [...byDeposit.values()];
}
