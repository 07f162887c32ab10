import type { Payout, PayoutHistory, PayoutStatus } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import type { Environment } from '../../data/kelpie.ts';
import { formatPounds, formatUsdc } from '../../format/money.ts';
import { classNames } from '../../ui/class-names.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { isStillHeld } from './ledger-labels.ts';

const charged: ReadonlySet<PayoutStatus> = new Set<PayoutStatus>(['pending', 'processing', 'completed']);

function noteOf(status: PayoutStatus, environment: Environment): string {
  if (environment === 'sandbox')
    return charged.has(status)
      ? 'In sandbox nothing is charged: this is what it would cost in live.'
      : 'In sandbox nothing is charged.';
  return status === 'returned'
    ? 'The fee is given back. What the bank charges for a return is on the invoice, and in the ledger here.'
    : 'Only completed payouts are charged.';
}

/** What it costs, part by part. */
export function Cost({ payout, history }: { payout: Payout; history: PayoutHistory | undefined }) {
  const environment = useEnvironment();
  const dropped = charged.has(payout.status) ? '' : 'line-through';
  // What a bank could not deliver is out of the wallet until it is back.
  const isHeld = payout.status === 'failed' && (history === undefined || isStillHeld(history.ledger));
  return (
    <Section title="Cost">
      <Facts>
        <Fact name="The recipient receives">
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
            <Fact name="– taken in the transfer">
              <span className={classNames('figures text-muted', dropped)}>
                {formatPounds(history.fee_breakdown.taken_in_transfer_gbp)}
              </span>
            </Fact>
            <Fact name="– on the monthly invoice">
              <span className={classNames('figures text-muted', dropped)}>
                {formatPounds(history.fee_breakdown.on_monthly_invoice_gbp)}
              </span>
            </Fact>
            <Fact name="Rate">
              <span className="figures text-muted">£{history.exchange_rate.gbp_per_usd} a dollar</span>
            </Fact>
          </>
        )}
        <Fact name="The wallet sends">
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
