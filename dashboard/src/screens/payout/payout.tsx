import type { Payout, PayoutHistory } from '@kelpie/sdk';
import { Link, useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { usePayout, usePayoutHistory } from '../../data/reads.ts';
import { useOfferPayAgain } from '../../data/pay-again.ts';
import { useCanPay } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { remedyFor, statusLabels } from '../../format/payout-labels.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Cancel } from './cancel.tsx';
import { Cost } from './cost.tsx';
import { isStillHeld } from './ledger-labels.ts';
import { LedgerLines } from './ledger-lines.tsx';
import { Timeline } from './timeline.tsx';

export function Screen() {
  const id = useParams()['id'] ?? '';
  const address = useAddress();
  const payout = usePayout(id);
  if (payout.data !== undefined) return <PayoutPage payout={payout.data} />;
  return (
    <Page title="Payout" heading={payout.isError ? 'Payout' : <Line width="w-56" height="h-6" />}>
      {payout.isError ? (
        <>
          <Problem error={payout.error} title="This payout could not be read." onRetry={() => void payout.refetch()} />
          <p>
            <ButtonLink to={address('/payouts')}>See the payouts</ButtonLink>
          </p>
        </>
      ) : (
        <Rows />
      )}
    </Page>
  );
}

function PayoutPage({ payout }: { payout: Payout }) {
  const address = useAddress();
  const { amount_gbp: amount, recipient, status } = payout;
  const name = recipient.name ?? 'Unknown';
  return (
    <Page
      // A browser keeps the titles of pages: no name and no amount stands in one.
      title="Payout"
      heading={
        <span className="grid gap-2">
          <Link
            to={address('/payouts')}
            className="flex w-fit items-center gap-1 text-body font-normal tracking-normal text-muted hover:text-ink"
          >
            <Icon name="left" size={13} />
            Payouts
          </Link>
          <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="figures">{formatPounds(amount)}</span>
            <span className="font-normal text-muted">to {name}</span>
          </span>
        </span>
      }
      lead={
        <span role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1">
          <Status status={status} />
          <span>{statusLabels[status].meaning}</span>
        </span>
      }
      action={<Cancel payout={payout} />}
    >
      {(status === 'failed' || status === 'returned') && <Failure key={`failure ${payout.id}`} payout={payout} />}
      {/* Made anew for each payout: none shows the lines of another, not even for a moment. */}
      <Details key={payout.id} payout={payout} />
    </Page>
  );
}

/** By the ledger: a bank that could not deliver a payout gives its money back some time later. */
function whereMoneyIs(history: PayoutHistory | undefined): string {
  if (history === undefined) return '';
  return isStillHeld(history.ledger)
    ? 'Your money is still set aside: it is back in the wallet once the bank has returned it. '
    : 'Your money is back in the wallet. ';
}

/** In plain words, with what to do. */
function Failure({ payout }: { payout: Payout }) {
  const address = useAddress();
  const canPay = useCanPay();
  const offerPayAgain = useOfferPayAgain();
  const history = usePayoutHistory(payout.id, payout.updated_at);
  const isFailed = payout.status === 'failed';
  const { name, account_last4: accountLast4 } = payout.recipient;
  const isRepeatable = canPay && payout.failure_code !== 'regulatory' && name !== null && accountLast4 !== null;
  return (
    <div
      className={classNames(
        'grid gap-1 rounded-lg border p-4',
        isFailed ? 'border-failed/30 bg-failed-wash' : 'border-returned/30 bg-returned-wash',
      )}
    >
      <p className={classNames('font-medium', isFailed ? 'text-failed' : 'text-returned')}>
        {payout.failure_reason ?? (isFailed ? 'The bank did not say why.' : "The recipient's bank sent it back.")}
      </p>
      <p>
        {isFailed
          ? `No money reached the recipient, and nothing is charged for it. ${whereMoneyIs(history.data)}`
          : 'What came back is in your wallet, and the fee of this payout is dropped. '}
        {remedyFor(payout.failure_code)}
      </p>
      {isRepeatable && (
        <div className="pt-2">
          <ButtonLink to={address('/payouts/new')} onClick={() => offerPayAgain({ name, accountLast4 })}>
            Write a new payout to {name}
          </ButtonLink>
        </div>
      )}
    </div>
  );
}

function Details({ payout }: { payout: Payout }) {
  const history = usePayoutHistory(payout.id, payout.updated_at);
  const { recipient } = payout;
  return (
    <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
      <div className="grid min-w-0 content-start gap-8">
        <Section title="Timeline">
          {history.isError && history.data === undefined && (
            <Problem
              error={history.error}
              title="The timeline could not be read."
              onRetry={() => void history.refetch()}
            />
          )}
          {history.data === undefined ? (
            !history.isError && <Rows count={3} />
          ) : (
            <Timeline payout={payout} history={history.data} />
          )}
        </Section>
        {history.data !== undefined && <LedgerLines history={history.data} />}
      </div>
      <div className="grid min-w-0 content-start gap-8">
        <Section title="Details">
          <Facts>
            <Fact name="Recipient">{recipient.name ?? 'Unknown'}</Fact>
            <Fact name="Account">
              <span className="figures">ends in {recipient.account_last4}</span>
            </Fact>
            {payout.reference !== null && <Fact name="Your reference">{payout.reference}</Fact>}
            <Fact name="The recipient sees">
              <span className="font-mono text-small">{payout.bank_reference}</span>
            </Fact>
            <Fact name="Made">
              <Timestamp at={payout.created_at} /> {payout.created_via === 'api' ? 'by API' : 'in the dashboard'}
            </Fact>
            <Fact name="Payout id">
              <span className="inline-flex items-center gap-1.5">
                <code className="font-mono text-small break-all">{payout.id}</code>
                <CopyButton text={payout.id} what="payout id" />
              </span>
            </Fact>
          </Facts>
        </Section>
        <Cost payout={payout} history={history.data} />
      </div>
    </div>
  );
}
