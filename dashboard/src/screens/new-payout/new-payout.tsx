import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useCopiedPayout, useTakenPayAgain, type CopiedPayout, type PayAgain } from '../../data/pay-again.ts';
import { useCompliance } from '../../data/reads.ts';
import { useCanPay, useIsAdmin } from '../../data/session.ts';
import { amountFrom } from '../../format/money.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { SupportLink } from '../../ui/support-link.tsx';
import { DraftForm } from './draft-form.tsx';
import { UnresolvedPayout } from './unresolved-payout.tsx';
import { useLiveQuote } from './live-quote.ts';
import { draftFor, emptyDraft, mistakesFrom, orderFrom, type Draft, type Mistakes } from './order.ts';
import { QuotePanel } from './quote-panel.tsx';
import { Review } from './review.tsx';
import { useSending } from './send-order.ts';

export function Screen() {
  const canPay = useCanPay();
  const [isBegun, setBegun] = useState(canPay);
  if (canPay && !isBegun) setBegun(true);
  // A form that was opened stays, even if the account is suspended meanwhile: the outcome of its payout may be unknown.
  return isBegun ? <CopyOrNew /> : <PayoutsBlocked />;
}

/** An empty form, or one with the details of the payout to repeat. */
function CopyOrNew() {
  const again = useTakenPayAgain();
  const copied = useCopiedPayout(again);
  if (copied.isLoading) {
    return (
      <Page title="New payout">
        <Rows />
      </Page>
    );
  }
  return <NewPayout taken={again} copied={copied.data ?? null} />;
}

function PayoutsBlocked() {
  const address = useAddress();
  const isAdmin = useIsAdmin();
  return (
    <Page title="New payout">
      <Empty
        title={isAdmin ? "This account can't send payouts" : 'Only admins can send payouts'}
        action={<ButtonLink to={address('/payouts')}>View payouts</ButtonLink>}
      >
        {isAdmin ? (
          <>
            The account is suspended or closed. You can still view earlier payouts. <SupportLink />.
          </>
        ) : (
          'You have read-only access. Ask an admin of this account.'
        )}
      </Empty>
    </Page>
  );
}

function LiveReview() {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      Review payout{' '}
      <span className="rounded-sm bg-ink px-2 text-body font-semibold tracking-normal text-ground">
        Live: real money
      </span>
    </span>
  );
}

interface NewPayoutProps {
  taken: PayAgain | undefined;
  copied: CopiedPayout | null;
}

function NewPayout({ taken, copied }: NewPayoutProps) {
  const address = useAddress();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [again, setAgain] = useState(taken);
  const limits = useCompliance().data?.account.payout_limits_gbp;
  const sending = useSending((payout) => void navigate(address(`/payouts/${payout.id}`), { replace: true }));
  const { outcome, unresolved } = sending;
  const kept = useKeptDraft();
  const [draft, setDraft] = useState(
    () => (unresolved === undefined ? undefined : kept.find(unresolved.key)) ?? draftFor(again, copied),
  );
  const [isReview, setReview] = useState(false);
  const [said, setSaid] = useState<Mistakes>({});
  const quote = useLiveQuote(amountFrom(draft.amount), limits);
  // A quote for another amount is not shown beside this one.
  const shownQuote = quote.asked.isPlaceholderData ? undefined : quote.shown;
  return (
    <Page
      title={isReview ? 'Review payout' : 'New payout'}
      heading={isReview && environment === 'live' ? <LiveReview /> : undefined}
      lead={isReview ? undefined : 'The recipient receives exactly this amount in pounds, usually within minutes.'}
    >
      {unresolved !== undefined && (
        <UnresolvedPayout
          unresolved={unresolved}
          isKept={kept.find(unresolved.key) !== undefined}
          isSending={sending.isSending}
          onSettled={() => {
            sending.settleUnresolved();
            // The form may hold what was just paid.
            setDraft(emptyDraft);
            setAgain(undefined);
            setReview(false);
          }}
        />
      )}
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        {isReview ? (
          <Review
            draft={draft}
            quote={shownQuote}
            sending={sending}
            onSend={(code) => {
              kept.keep(sending.key, draft);
              sending.send(orderFrom(draft), code);
            }}
            onBack={() => {
              if (outcome.kind === 'refused') setSaid(mistakesFrom(outcome.error.fields));
              sending.startOver();
              setReview(false);
            }}
          />
        ) : (
          <DraftForm
            draft={draft}
            limits={limits}
            again={again}
            said={said}
            quote={shownQuote}
            onChange={(changed) => {
              setDraft({ ...draft, ...changed });
              // The API's error was about the earlier value.
              setSaid(without(said, Object.keys(changed)));
            }}
            onReview={() => setReview(true)}
          />
        )}
        <div className="min-w-0">
          <QuotePanel quote={quote} />
        </div>
      </div>
    </Page>
  );
}

function without(mistakes: Mistakes, fields: readonly string[]): Mistakes {
  return Object.fromEntries(Object.entries(mistakes).filter(([field]) => !fields.includes(field)));
}

/** In memory only, and dropped with the session, so that the same payout can be retried after visiting another page. */
function useKeptDraft() {
  const client = useQueryClient();
  const environment = useEnvironment();
  return {
    find: (key: string) => client.getQueryData<Draft>([environment, 'draft', key]),
    keep: (key: string, draft: Draft) => void client.setQueryData([environment, 'draft', key], draft),
  };
}
