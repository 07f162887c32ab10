/** What both sides were found to be up to a page of the bank's list. Ids and counts only: it is kept as JSON. */
export interface MatcherState {
  compared: number;
  inFlight: number;
  suspects: { paymentId: string; payoutId: string | null }[];
  /** Payouts beside pages that were read already, whose payments have not come by. */
  waiting: string[];
  /** Payouts beside pages that are still to be read, whose payments came by already. */
  met: string[];
  /** Orders whose payments came by without their payouts: they are among the suspects. */
  orders: string[];
}

/** Where the comparison of a partner's transfers goes on after a kill. */
export interface TransferProgress {
  /** The list of the window, then what changed before it, then the end. */
  phase: 'window' | 'changed' | 'done';
  /** The bank's id after which its list goes on; null at its beginning. */
  after: string | null;
  /** The oldest payment of the window so far: what is older is behind it. Null before the first. */
  edge: string | null;
  /** Where the last page ended, in milliseconds; null before the first. */
  reachedMs: number | null;
  matcher: MatcherState | null;
}

export const atTheBeginning: TransferProgress = {
  phase: 'window',
  after: null,
  edge: null,
  reachedMs: null,
  matcher: null,
};

export interface ProgressKeeper {
  /** Where an earlier attempt was killed, or the beginning. */
  readonly begin: TransferProgress;
  save(state: TransferProgress): Promise<void>;
}
