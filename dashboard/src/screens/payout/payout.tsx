import type { Payout, PayoutHistory } from '@kelpie/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { usePayout, usePayoutHistory } from '../../data/reads.ts';
import { useOfferPayAgain } from '../../data/pay-again.ts';
import { useCanPay } from '../../data/session.ts';
import { formatPounds, formatUsdc } from '../../format/money.ts';
import { remedyFor, statusLabels } from '../../format/payout-labels.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { SupportLink } from '../../ui/support-link.tsx';
import { Cancel } from './cancel.tsx';
import { Cost } from './cost.tsx';
import { isStillHeld } from './ledger-labels.ts';
import { LedgerLines } from './ledger-lines.tsx';
import { TestSteps } from './test-steps.tsx';
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
          <Problem error={payout.error} title="The payout could not be loaded." onRetry={() => void payout.refetch()} />
          <p>
            <ButtonLink to={address('/payouts')}>View payouts</ButtonLink>
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
      // Browsers keep page titles in their history, so this one has no name and no amount.
      title="Payout"
      heading={
        <span className="grid gap-2">
          <BackLink to={address('/payouts')}>Payouts</BackLink>
          <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="figures">{formatPounds(amount)}</span>
            <span className="font-normal text-muted">
              to <bdi>{name}</bdi>
            </span>
          </span>
        </span>
      }
      lead={
        <span role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1">
          <Status status={status} />
          <span>{statusLabels[status].meaning}</span>
        </span>
      }
      action={
        status === 'completed' || status === 'cancelled' ? <PayAgainLink payout={payout} /> : <Cancel payout={payout} />
      }
    >
      {(status === 'failed' || status === 'returned') && <Failure key={`failure ${payout.id}`} payout={payout} />}
      {payout.duplicate_suspected && <DuplicateHint payout={payout} />}
      {/* Remounted for each payout, so that none shows the lines of another for a moment. */}
      <Details key={payout.id} payout={payout} />
    </Page>
  );
}

/** Only a hint: paying the same amount twice a day can be meant. */
function DuplicateHint({ payout: { amount_gbp: amount, status } }: { payout: Payout }) {
  const canStillStop = status === 'pending' || status === 'processing';
  return (
    <p className="rounded-lg border border-returned/30 bg-returned-wash p-4">
      Possible duplicate: you created another payout of <span className="figures">{formatPounds(amount)}</span> to this
      account in the 24 hours before. {canStillStop && 'If this one is a mistake, cancel it.'}
    </p>
  );
}

/** From the ledger, because a bank refunds an undelivered payout some time after it failed. */
function FailedMoney({ payout, history }: { payout: Payout; history: UseQueryResult<PayoutHistory> }) {
  if (history.data === undefined) {
    return history.isError && <p>We could not check whether the money is back in your wallet.</p>;
  }
  if (!isStillHeld(history.data.ledger)) return <p>The money is back in your wallet. There is no charge.</p>;
  return (
    <p>
      <strong className="figures font-medium">{formatUsdc(payout.wallet_sent_usdc)}</strong> is still on hold. It
      returns to your wallet when the bank refunds it. There is no charge.
    </p>
  );
}

function Remedy({ failureCode }: { failureCode: string | null }) {
  const remedy = remedyFor(failureCode);
  if (remedy !== undefined) return remedy;
  return failureCode === 'regulatory' ? (
    <>
      Do not send it again. <SupportLink /> with the payout ID.
    </>
  ) : (
    <>
      Check the details with the recipient. If they are correct, <SupportLink>contact support</SupportLink> with the
      payout ID.
    </>
  );
}

/** Why, where the money is, and what to do. */
function Failure({ payout }: { payout: Payout }) {
  const history = usePayoutHistory(payout.id, payout.updated_at);
  const isFailed = payout.status === 'failed';
  return (
    <div
      className={classNames(
        'grid gap-1 rounded-lg border p-4',
        isFailed ? 'border-failed/30 bg-failed-wash' : 'border-returned/30 bg-returned-wash',
      )}
    >
      <p className={classNames('font-medium', isFailed ? 'text-failed' : 'text-returned')}>
        {payout.failure_reason ?? (isFailed ? 'The bank gave no reason.' : "The recipient's bank gave no reason.")}
      </p>
      {isFailed ? (
        <FailedMoney payout={payout} history={history} />
      ) : (
        <p>The returned money is in your wallet. We refund the payout fee.</p>
      )}
      <p>
        <Remedy failureCode={payout.failure_code} />
      </p>
      <div className="pt-2 empty:hidden">
        <PayAgainLink payout={payout} />
      </div>
    </div>
  );
}

/** A new payout with the details of this one, for who may send it. */
function PayAgainLink({ payout }: { payout: Payout }) {
  const address = useAddress();
  const canPay = useCanPay();
  const offerPayAgain = useOfferPayAgain();
  const { name, account_last4: accountLast4 } = payout.recipient;
  if (!canPay || payout.failure_code === 'regulatory' || name === null || accountLast4 === null) return null;
  return (
    <ButtonLink to={address('/payouts/new')} onClick={() => offerPayAgain({ payoutId: payout.id, name, accountLast4 })}>
      Pay <bdi>{name}</bdi> again
    </ButtonLink>
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
              title="The timeline could not be loaded."
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
        <TestSteps payout={payout} />
      </div>
      <div className="grid min-w-0 content-start gap-8">
        <Section title="Details">
          <Facts>
            <Fact name="Recipient">
              <bdi>{recipient.name ?? 'Unknown'}</bdi>
            </Fact>
            <Fact name="Account number">
              <span className="figures">Ends in {recipient.account_last4}</span>
            </Fact>
            {payout.reference !== null && <Fact name="Your reference">{payout.reference}</Fact>}
            <Fact name="Reference on recipient's statement">
              <span className="font-mono text-small">{payout.bank_reference}</span>
            </Fact>
            <Fact name="Created">
              <Timestamp at={payout.created_at} /> {payout.created_via === 'api' ? 'by API' : 'in the dashboard'}
            </Fact>
            <Fact name="Payout ID">
              <span className="inline-flex items-center gap-1.5">
                <code className="font-mono text-small break-all">{payout.id}</code>
                <CopyButton text={payout.id} what="payout ID" />
              </span>
            </Fact>
          </Facts>
        </Section>
        <Cost payout={payout} history={history.data} />
      </div>
    </div>
  );
}
