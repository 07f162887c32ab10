import type { BankFunding, DepositLine } from '../banks/index.ts';
import type { ReadableSource } from './source-store.ts';

/** Far more than come between two readings. A list that is longer is read in part, and a person is told. */
const mostPages = 200;

export interface Listing {
  /** Newest first. */
  lines: DepositLine[];
  /** Whether all that may say something new was read. */
  isWhole: boolean;
}

/** Whether this line, and so every one after it, was read before and is not asked for again. */
function isBehind(line: DepositLine, { readUpto, backfillTo }: ReadableSource, reached: boolean): boolean {
  const wasRead = reached || line.id === readUpto;
  return wasRead && (backfillTo === null || (line.at !== null && line.at < backfillTo));
}

/** Reads the bank's list from its newest line back to what was read before; null where the bank did not answer. */
export async function listLines(bank: BankFunding, source: ReadableSource): Promise<Listing | null> {
  const lines: DepositLine[] = [];
  let after: string | null = null;
  let reached = false;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await bank.listDeposits(source, after);
    if (page === null) return null;
    for (const line of page.lines) {
      if (isBehind(line, source, reached)) return { lines, isWhole: true };
      reached ||= line.id === source.readUpto;
      lines.push(line);
    }
    if (page.next === null) return { lines, isWhole: true };
    after = page.next;
  }
  return { lines, isWhole: false };
}

/**
 * The newest line of which neither it nor an older one can say something else later, or is of a deposit that could not be
 * taken; null where there is none.
 */
export function settledUpto({ lines, isWhole }: Listing, failed: ReadonlySet<string>): string | null {
  if (!isWhole) return null;
  const firstOpen = lines.findLastIndex(
    ({ mayChange, event }) => mayChange || (event !== null && failed.has(event.depositId)),
  );
  return firstOpen === -1 ? (lines[0]?.id ?? null) : (lines[firstOpen + 1]?.id ?? null);
}
