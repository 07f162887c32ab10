import type { Quote } from '@kelpie/sdk';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useBalance } from '../../data/reads.ts';
import { amountOf, formatUsdc, penceOf } from '../../format/money.ts';

/** The USDC that the wallet lacks for a quote. Undefined where it covers it, or where either is not known yet. */
export function useShortfall(quote: Quote | undefined): string | undefined {
  const { data: balance } = useBalance();
  if (quote === undefined || balance === undefined) return undefined;
  const missing = penceOf(quote.wallet_sends_usdc) - penceOf(balance.usdc);
  return missing > 0n ? amountOf(missing) : undefined;
}

export function TopUpLink({ children }: { children: ReactNode }) {
  const address = useAddress();
  return (
    <Link to={address('/deposits')} className="font-medium text-tide underline underline-offset-2">
      {children}
    </Link>
  );
}

export function ShortfallNote({ shortfall }: { shortfall: string }) {
  return (
    <p role="status" className="rounded-md bg-returned-wash p-3 text-returned">
      Your wallet is <span className="figures font-medium">{formatUsdc(shortfall)}</span> short for this payout.{' '}
      <TopUpLink>Top up your wallet</TopUpLink> first.
    </p>
  );
}
