import type { MicroUsdc } from '../money/amounts.ts';

/** What is known of a wallet that was ever below its partner's threshold. */
export interface WalletAlert {
  /** Since when it is low; null where it is not. */
  lowSince: Date | null;
  /** When the partner was told last; null where the wallet was clearly above the threshold since. */
  notifiedAt: Date | null;
  /** The threshold that it was told of. */
  threshold: MicroUsdc;
}

interface Wallet {
  balance: MicroUsdc;
  threshold: MicroUsdc;
}

const dayMs = 24 * 60 * 60_000;

/** By a tenth: what brings a wallet just above its threshold is spent by the next payouts. */
function isClearlyAbove({ balance, threshold }: Wallet): boolean {
  return balance >= threshold + threshold / 10n;
}

/**
 * Whether the partner is to be told that its wallet is low, and what is known then. It is told once each time that the wallet
 * falls below the threshold, and of another threshold; but one that goes up and down about it is told of once a day.
 */
export function updateWalletAlert(
  wallet: Wallet,
  alert: WalletAlert,
  at: Date,
): { alert: WalletAlert; isNews: boolean } {
  const { balance, threshold } = wallet;
  const { notifiedAt } = alert;
  if (balance >= threshold)
    return {
      alert: { ...alert, lowSince: null, notifiedAt: isClearlyAbove(wallet) ? null : notifiedAt },
      isNews: false,
    };
  const lowSince = alert.lowSince ?? at;
  const isNews =
    notifiedAt === null ||
    alert.threshold !== threshold ||
    (lowSince > notifiedAt && at.getTime() - notifiedAt.getTime() >= dayMs);
  return { alert: isNews ? { lowSince, notifiedAt: at, threshold } : { ...alert, lowSince }, isNews };
}
