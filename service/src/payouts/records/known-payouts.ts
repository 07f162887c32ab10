import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { ShownPayout } from '../model/payout.ts';

/**
 * A payout as it was read, and the change that made it so. The instant tells apart two changes of one number: of a change
 * that a failover lost, and of the one that was made in its place.
 */
interface KnownPayout {
  revision: string;
  instant: string;
  payout: ShownPayout;
}

/** A payout, and the partner that asks for it. */
export interface Asked extends PartnerContext {
  payoutId: string;
}

/**
 * What this process has read of payouts. It is never shown by itself: the database says in each request which payouts there
 * are and which change is their last, and only what it would say again comes from here.
 */
export interface KnownPayouts {
  find(asked: Asked): KnownPayout | undefined;
  keep(asked: Asked, known: KnownPayout): void;
}

/** About 1 kB each. */
const usuallyMost = 10_000;

/** The oldest make room for new ones. */
export function createKnownPayouts(most = usuallyMost): KnownPayouts {
  const entries = new Map<string, KnownPayout & { partnerId: string }>();
  return {
    find({ partnerId, environment, payoutId }) {
      const entry = entries.get(payoutId);
      return entry?.partnerId === partnerId && entry.payout.environment === environment ? entry : undefined;
    },
    keep({ partnerId, payoutId }, known) {
      entries.delete(payoutId);
      entries.set(payoutId, { ...known, partnerId });
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}
