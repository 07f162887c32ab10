import type { Quote } from '@kelpie/sdk';
import { useBalance } from '../../data/reads.ts';
import { penceOf, formatPounds, formatUsdc } from '../../format/money.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Section } from '../../ui/page.tsx';
import type { LiveQuote } from './live-quote.ts';

/** What it would cost now, while somebody types. */
export function QuotePanel({ quote }: { quote: LiveQuote }) {
  const { asked, shown } = quote;
  return (
    <div className="min-w-0 lg:sticky lg:top-12">
      <Section title="What it costs now">
        {asked.isError && (
          <Problem error={asked.error} title="There is no quote right now." onRetry={() => void asked.refetch()} />
        )}
        {shown !== undefined ? (
          <QuoteFacts quote={shown} isStale={asked.isPlaceholderData} />
        ) : (
          !asked.isError && <p className="text-muted">The fee and the rate are shown here as you type the amount.</p>
        )}
      </Section>
    </div>
  );
}

function QuoteFacts({ quote, isStale }: { quote: Quote; isStale: boolean }) {
  const balance = useBalance();
  const isShort = balance.data !== undefined && penceOf(balance.data.usdc) < penceOf(quote.wallet_sends_usdc);
  return (
    <div className={isStale ? 'opacity-60' : undefined} aria-busy={isStale}>
      <Facts>
        <Fact name="The recipient receives">
          <span className="figures font-medium">{formatPounds(quote.seller_receives_gbp)}</span>
        </Fact>
        <Fact name="Fee">
          <span className="figures">{formatPounds(quote.fee_gbp)}</span>
        </Fact>
        <Fact name="– taken in the transfer">
          <span className="figures text-muted">{formatPounds(quote.fee_breakdown.taken_in_transfer_gbp)}</span>
        </Fact>
        <Fact name="– on the monthly invoice">
          <span className="figures text-muted">{formatPounds(quote.fee_breakdown.on_monthly_invoice_gbp)}</span>
        </Fact>
        <Fact name="Rate">
          <span className="figures text-muted">£{quote.exchange_rate.gbp_per_usd} a dollar</span>
        </Fact>
        <Fact name="The wallet sends">
          <span className="figures font-medium">{formatUsdc(quote.wallet_sends_usdc)}</span>
        </Fact>
        {balance.data !== undefined && (
          <Fact name="The wallet holds">
            <span className="figures text-muted">{formatUsdc(balance.data.usdc)}</span>
          </Fact>
        )}
      </Facts>
      {isShort && (
        <p className="mt-2 rounded-md bg-returned-wash p-3 text-returned">
          The wallet does not cover this. Top it up first.
        </p>
      )}
    </div>
  );
}
