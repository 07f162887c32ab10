import { checkDeposits, type CheckedDeposits } from './check-deposits.ts';
import { confirmSuspects, findSuspects } from './check-transfers.ts';
import type { TransferWindow, Window } from './cut-off.ts';
import type { Difference } from './cases/difference.ts';
import { TooDifferent } from './match-transfers.ts';
import { BankSilent, type Comparing } from './deps.ts';

export interface ComparedLines {
  transfers: number;
  deposits: number;
  inFlight: number;
  differences: Difference[];
  /** Why not all lines of the window could be compared; null where they were. What was confirmed stands all the same. */
  trouble: string | null;
}

type Part = ComparedLines;

const nothing: Part = { transfers: 0, deposits: 0, inFlight: 0, differences: [], trouble: null };

/** What the bank does not tell of one thing is no reason not to look at the next. */
async function unlessSilent(work: () => Promise<Part>): Promise<Part> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BankSilent)) throw error;
    return { ...nothing, trouble: error.message };
  }
}

export interface Windows {
  transfers: TransferWindow;
  deposits: Window;
}

/** Deposits and transfers, each by itself. */
export async function compareLines(
  comparing: Comparing,
  windows: Windows,
  onProgress: (lines: number) => void,
): Promise<ComparedLines> {
  const deposits = await unlessSilent(async () => ofDeposits(await checkDeposits(comparing, windows.deposits)));
  const transfers = await unlessSilent(async () => compareTransfers(comparing, windows.transfers, onProgress));
  const troubles = [transfers.trouble, deposits.trouble].filter((trouble) => trouble !== null);
  return {
    transfers: transfers.transfers,
    deposits: deposits.deposits,
    inFlight: transfers.inFlight + deposits.inFlight,
    differences: [...transfers.differences, ...deposits.differences],
    trouble: troubles.length === 0 ? null : troubles.join('; '),
  };
}

function ofDeposits({ differences, compared, inFlight }: CheckedDeposits): Part {
  return { ...nothing, deposits: compared, inFlight, differences };
}

/** Too many that differ are one case: a thousand would hide that something is wrong in the large. */
async function compareTransfers(
  comparing: Comparing,
  window: TransferWindow,
  onProgress: (lines: number) => void,
): Promise<Part> {
  try {
    const matcher = await findSuspects(comparing, window, onProgress);
    // What did not fit is asked for again last, so that what was under way has had its time.
    const { differences, trouble } = await confirmSuspects(comparing, matcher, window);
    return { ...nothing, transfers: matcher.compared, inFlight: matcher.inFlight, differences, trouble };
  } catch (error) {
    if (!(error instanceof TooDifferent)) throw error;
    const trouble = 'more than a thousand transfers differ';
    const about = { subject: comparing.partnerEnvironment.walletId, relatedId: null, amount: null };
    return { ...nothing, differences: [{ kind: 'transfers_many', ...about, detail: trouble }], trouble };
  }
}
