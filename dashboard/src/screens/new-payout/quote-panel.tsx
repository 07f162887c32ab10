import type { Quote } from '@kelpie/sdk';
import { useBalance } from '../../data/reads.ts';
import { formatPounds, formatRate, formatUsdc } from '../../format/money.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Section } from '../../ui/page.tsx';
import type { LiveQuote } from './live-quote.ts';
import { ShortfallNote, useShortfall } from './shortfall.tsx';

/** The cost of the typed amount at the current rate. */
export function QuotePanel({ quote }: { quote: LiveQuote }) {
  const { asked, shown } = quote;
  return (
    <div className="min-w-0 lg:sticky lg:top-12">
      <Section title="Cost">
        {asked.isError && (
          <Problem error={asked.error} title="The quote could not be loaded." onRetry={() => void asked.refetch()} />
        )}
        {shown !== undefined ? (
          <QuoteFacts quote={shown} isStale={asked.isPlaceholderData} />
        ) : (
          !asked.isError && <p className="text-muted">The fee and exchange rate appear here as you type the amount.</p>
        )}
      </Section>
    </div>
  );
}

function QuoteFacts({ quote, isStale }: { quote: Quote; isStale: boolean }) {
  const balance = useBalance();
  const shortfall = useShortfall(quote);
  return (
    <div className={isStale ? 'opacity-60' : undefined} aria-busy={isStale}>
      <Facts>
        <Fact name="Recipient receives">
          <span className="figures font-medium">{formatPounds(quote.seller_receives_gbp)}</span>
        </Fact>
        <Fact name="Fee">
          <span className="figures">{formatPounds(quote.fee_gbp)}</span>
        </Fact>
        <Fact name="– deducted from wallet">
          <span className="figures text-muted">{formatPounds(quote.fee_breakdown.taken_in_transfer_gbp)}</span>
        </Fact>
        <Fact name="– on monthly invoice">
          <span className="figures text-muted">{formatPounds(quote.fee_breakdown.on_monthly_invoice_gbp)}</span>
        </Fact>
        <Fact name="Exchange rate">
          <span className="figures text-muted">{formatRate(quote.exchange_rate.gbp_per_usd)}</span>
        </Fact>
        <Fact name="Wallet debit">
          <span className="figures font-medium">{formatUsdc(quote.wallet_sends_usdc)}</span>
        </Fact>
        {balance.data !== undefined && (
          <Fact name="Wallet balance">
            <span className="figures text-muted">{formatUsdc(balance.data.usdc)}</span>
          </Fact>
        )}
      </Facts>
      {shortfall !== undefined && (
        <div className="mt-2">
          <ShortfallNote shortfall={shortfall} />
        </div>
      )}
    </div>
  );
}
