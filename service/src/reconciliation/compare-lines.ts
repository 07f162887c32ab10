import { checkDeposits, type CheckedDeposits } from './check-deposits.ts';
import { confirmSuspects, findSuspects } from './check-transfers.ts';
import type { Window } from './cut-off.ts';
import type { Difference } from './cases/difference.ts';
import { TooDifferent, TransferMatcher } from './match-transfers.ts';
import { BankSilent, type Comparing } from './deps.ts';

export interface ComparedLines {
  matcher: TransferMatcher;
  deposits: CheckedDeposits;
  differences: Difference[];
  /** Why not all lines of the window could be compared; null where they were. What was confirmed stands all the same. */
  trouble: string | null;
}

interface Part<Found> {
  found: Found;
  trouble: string | null;
}

/** What the bank does not tell of one thing is no reason not to look at the next. */
async function unlessSilent<Found>(work: () => Promise<Part<Found>>, nothing: Found): Promise<Part<Found>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BankSilent)) throw error;
    return { found: nothing, trouble: error.message };
  }
}

/** Transfers and deposits, each by itself. */
export async function compareLines(
  comparing: Comparing,
  window: Window,
  onProgress: (lines: number) => void,
): Promise<ComparedLines> {
  const matcher = new TransferMatcher(window);
  const listed = await unlessSilent(async () => listTransfers(comparing, window, matcher, onProgress), []);
  const none: CheckedDeposits = { differences: [], compared: 0, inFlight: 0 };
  const deposits = await unlessSilent(
    async () => ({ found: await checkDeposits(comparing, window), trouble: null }),
    none,
  );
  // The transfers that did not fit are asked for again last, so that what was under way has had its time.
  const confirmed =
    listed.trouble === null ? await confirmSuspects(comparing, matcher) : { differences: [], trouble: null };
  const troubles = [listed.trouble, confirmed.trouble, deposits.trouble].filter((trouble) => trouble !== null);
  return {
    matcher,
    deposits: deposits.found,
    differences: [...listed.found, ...deposits.found.differences, ...confirmed.differences],
    trouble: troubles.length === 0 ? null : troubles.join('; '),
  };
}

/** Too many that differ are one case: a thousand would hide that something is wrong in the large. */
async function listTransfers(
  comparing: Comparing,
  window: Window,
  matcher: TransferMatcher,
  onProgress: (lines: number) => void,
): Promise<Part<Difference[]>> {
  try {
    await findSuspects(comparing, window, matcher, onProgress);
    return { found: [], trouble: null };
  } catch (error) {
    if (!(error instanceof TooDifferent)) throw error;
    const trouble = 'more than a thousand transfers differ';
    const about = { subject: comparing.partnerEnvironment.walletId, relatedId: null, amount: null };
    return { found: [{ kind: 'transfers_many', ...about, detail: trouble }], trouble };
  }
}
