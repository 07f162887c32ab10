import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isFinal, type ShownPayout } from '../model/payout.ts';
import type { Asked } from '../records/known-payouts.ts';
import type { PayoutReader } from './read-payouts.ts';

/** Says when a payout may have changed. */
interface ChangeWatch {
  /** Resolves once no later change can be missed. */
  begun: Promise<void>;
  /** True where there may be a change, false where nothing more is waited for. */
  next(): Promise<boolean>;
  end(): void;
}

interface ChangeWatches {
  /** Null where no more can wait now. */
  watch(of: PartnerContext, payoutId: string): ChangeWatch | null;
}

export interface WaitDeps {
  payouts: PayoutReader;
  changes: ChangeWatches;
  /** For those who waited: thousands may have to be answered at the same time, and none of them is refused. */
  changedPayouts: PayoutReader;
}

interface Patience {
  waitMs: number;
  /** Aborted where the caller has left. */
  gone: AbortSignal;
}

/** The payout once its status is another than now, or as it is when the time is over. A final one is not waited for. */
export async function waitForChange(deps: WaitDeps, asked: Asked, { waitMs, gone }: Patience): Promise<ShownPayout> {
  const watch = deps.changes.watch(asked, asked.payoutId);
  if (watch === null) return deps.payouts.show(asked);
  const end = (): void => watch.end();
  const timer = setTimeout(end, waitMs);
  gone.addEventListener('abort', end);
  if (gone.aborted) end();
  try {
    // Read after the watch has begun: a change is either in what is read, or is heard of.
    await watch.begun;
    const first = await deps.payouts.show(asked);
    return isFinal(first.state) ? first : await untilChanged(deps, { asked, first, watch, gone });
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', end);
    watch.end();
  }
}

interface Waiting {
  asked: Asked;
  first: ShownPayout;
  watch: ChangeWatch;
  gone: AbortSignal;
}

async function untilChanged(
  { changedPayouts }: WaitDeps,
  { asked, first, watch, gone }: Waiting,
): Promise<ShownPayout> {
  for (;;) {
    const goesOn = await watch.next();
    if (gone.aborted) return first;
    const now = await changedPayouts.show(asked);
    // An event can be about what was read already: it is numbered after the commit.
    if (!goesOn || now.state !== first.state) return now;
  }
}
