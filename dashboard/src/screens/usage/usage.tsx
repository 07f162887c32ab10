import type { Usage } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import { useAccount, useUsage } from '../../data/reads.ts';
import { useSession } from '../../data/session.ts';
import { lineLabel } from '../../format/invoice-labels.ts';
import { formatCount, formatPounds } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';

export function Screen() {
  const usage = useUsage();
  const { data, error } = usage;
  return (
    <Page
      title="Fees and usage"
      lead={data === undefined ? <Line width="w-40" /> : `${formatMonth(data.period_start)} so far.`}
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="Usage could not be loaded." onRetry={() => void usage.refetch()} />
      )}
      {usage.isPending && <Rows count={4} />}
      {data !== undefined && (
        <>
          <Figures usage={data} />
          <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
            <InvoiceSoFar usage={data} />
            <Prices />
          </div>
        </>
      )}
    </Page>
  );
}

function Figures({ usage: { payouts } }: { usage: Usage }) {
  const environment = useEnvironment();
  const figures = [
    { name: 'Paid to recipients', value: formatPounds(payouts.paid_to_sellers_gbp) },
    { name: environment === 'live' ? 'Fees' : 'Fees in live (not charged)', value: formatPounds(payouts.fees_gbp) },
    { name: 'Payouts created', value: formatCount(payouts.count) },
    { name: 'Payouts completed', value: formatCount(payouts.completed) },
  ];
  return (
    <dl className="grid grid-cols-2 border-y border-line lg:grid-cols-4 lg:divide-x lg:divide-line">
      {figures.map(({ name, value }) => (
        <div key={name} className="grid gap-0.5 py-4 lg:px-5 lg:first:pl-0">
          <dt className="text-muted">{name}</dt>
          <dd className="figures text-title font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function InvoiceSoFar({ usage: { invoice_so_far: invoice } }: { usage: Usage }) {
  const environment = useEnvironment();
  const isClosed = useSession().account.status === 'closed';
  return (
    <Section title="Invoice so far">
      {invoice.lines.length > 0 && (
        <Facts>
          {invoice.lines.map(({ kind, amount_gbp: amount }) => (
            <Fact key={kind} name={lineLabel(kind)}>
              <span className="figures">
                {kind === 'credit' && '−'}
                {formatPounds(amount)}
              </span>
            </Fact>
          ))}
          <Fact name="Total">
            <span className="figures font-semibold">{formatPounds(invoice.total_gbp)}</span>
          </Fact>
          {invoice.carried_over_gbp !== '0.00' && (
            <Fact name={isClosed ? 'Credit that we owe you' : 'Credit for the next invoice'}>
              <span className="figures">{formatPounds(invoice.carried_over_gbp)}</span>
            </Fact>
          )}
        </Facts>
      )}
      {invoice.lines.length === 0 && (
        <p className="text-muted">
          {environment === 'sandbox'
            ? 'Sandbox payouts are free, so there is no invoice.'
            : 'No charges yet. Only completed payouts are charged.'}
        </p>
      )}
      <p className="text-small text-muted">
        We issue invoices on the 1st for the month before. They don't include the part of the fee that is deducted from
        your wallet.
      </p>
    </Section>
  );
}

/** From the account's price plan. */
function Prices() {
  const account = useAccount();
  const prices = account.data?.prices;
  const shown = [
    { name: 'Payout', price: prices?.payout },
    { name: 'Monthly account fee', price: prices?.monthly_account },
    { name: 'Business verification (once)', price: prices?.business_verification },
    { name: 'Network fees', price: prices?.network_fees },
    { name: 'Returns, recalls and traces', price: prices?.bank_exceptions },
  ];
  return (
    <Section title="Prices">
      {account.isError && prices === undefined ? (
        <Problem error={account.error} title="Prices could not be loaded." onRetry={() => void account.refetch()} />
      ) : (
        <Facts>
          {shown.map(({ name, price }) => (
            <Fact key={name} name={name}>
              {prices === undefined ? <Line width="w-28" /> : <span className="figures">{price ?? '–'}</span>}
            </Fact>
          ))}
        </Facts>
      )}
    </Section>
  );
}
