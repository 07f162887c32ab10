import type { Payout, PayoutHistory, PayoutStatus } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import type { Environment } from '../../data/kelpie.ts';
import { formatPounds, formatRate, formatUsdc } from '../../format/money.ts';
import { classNames } from '../../ui/class-names.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { isStillHeld } from './ledger-labels.ts';

const charged: ReadonlySet<PayoutStatus> = new Set<PayoutStatus>(['pending', 'processing', 'completed']);

function noteOf(status: PayoutStatus, environment: Environment): string {
  if (environment === 'sandbox')
    return charged.has(status) ? 'Sandbox payouts are free. This is the cost in live.' : 'Sandbox payouts are free.';
  return status === 'returned'
    ? "We refund the fee. The bank's charge for the return is on your invoice and in the ledger on this page."
    : 'Only completed payouts are charged.';
}

/** The cost, part by part. */
export function Cost({ payout, history }: { payout: Payout; history: PayoutHistory | undefined }) {
  const environment = useEnvironment();
  const dropped = charged.has(payout.status) ? '' : 'line-through';
  // An undelivered payout stays on hold until the bank returns the money.
  const isHeld = payout.status === 'failed' && history !== undefined && isStillHeld(history.ledger);
  return (
    <Section title="Cost">
      <Facts>
        <Fact name="Recipient receives">
          <span className={classNames('figures', dropped !== '' && 'text-muted', dropped)}>
            {formatPounds(payout.amount_gbp)}
          </span>
        </Fact>
        <Fact name="Fee">
          <span className={classNames('figures', dropped !== '' && 'text-muted', dropped)}>
            {formatPounds(payout.fee_gbp)}
          </span>
        </Fact>
        {history !== undefined && (
          <>
            <Fact name="– deducted from wallet">
              <span className={classNames('figures text-muted', dropped)}>
                {formatPounds(history.fee_breakdown.taken_in_transfer_gbp)}
              </span>
            </Fact>
            <Fact name="– on monthly invoice">
              <span className={classNames('figures text-muted', dropped)}>
                {formatPounds(history.fee_breakdown.on_monthly_invoice_gbp)}
              </span>
            </Fact>
            <Fact name="Exchange rate">
              <span className="figures text-muted">{formatRate(history.exchange_rate.gbp_per_usd)}</span>
            </Fact>
          </>
        )}
        <Fact name={isHeld ? 'Still on hold' : 'Wallet debit'}>
          <span
            className={classNames('figures font-medium', !isHeld && dropped !== '' && 'text-muted', !isHeld && dropped)}
          >
            {formatUsdc(payout.wallet_sent_usdc)}
          </span>
        </Fact>
      </Facts>
      <p className="text-small text-muted">{noteOf(payout.status, environment)}</p>
    </Section>
  );
}
