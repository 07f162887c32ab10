import type { Quote } from '@kelpie/sdk';
import { Link } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useSession } from '../../data/session.ts';
import { bankReference } from '../../format/bank-reference.ts';
import { amountFrom, formatPounds, formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmCode } from '../../ui/confirm-code.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { Draft } from './order.ts';
import { mayExistAfter, type Outcome } from './outcome.ts';
import type { Sending } from './send-order.ts';
import { LimitLeft } from './limit-left.tsx';
import { TopUpLink, useShortfall } from './shortfall.tsx';

interface ReviewProps {
  draft: Draft;
  /** The cost of the payout, once it is known. */
  quote: Quote | undefined;
  sending: Sending;
  onSend: (code?: string) => void;
  onBack: () => void;
}

/** All details once more, before money moves. */
export function Review({ draft, quote, sending, onSend, onBack }: ReviewProps) {
  const environment = useEnvironment();
  const amount = formatPounds(amountFrom(draft.amount) ?? draft.amount);
  const name = `${draft.firstName.trim()} ${draft.lastName.trim()}`;
  const { outcome, isSending } = sending;
  const business = useSession().account.name;
  const shortfall = useShortfall(quote);
  // A payout that may exist already is retried whatever the wallet holds: it may have been paid from it.
  const isShort = shortfall !== undefined && !mayExistAfter(outcome) && sending.unresolved === undefined;
  return (
    // On a narrow screen the cost stands between the recipient and the Send button.
    <div className="grid min-w-0 content-start gap-6 max-lg:contents">
      <div className="grid min-w-0 content-start gap-6">
        <p className="text-title">
          <strong className="figures font-semibold">{amount}</strong> to{' '}
          <strong className="font-semibold">
            <bdi>{name}</bdi>
          </strong>
        </p>
        <PayoutFacts draft={draft} business={business} />
      </div>
      <div className="grid min-w-0 content-start gap-6 max-lg:order-last">
        <Failed outcome={outcome} />
        {outcome.kind === 'code-wanted' ? (
          <CodeStep
            amount={amount}
            name={name}
            business={business}
            isWrong={outcome.isWrong}
            isFixed={outcome.mayExist}
            isSending={isSending}
            onSend={onSend}
            onBack={onBack}
          />
        ) : (
          <>
            <p className="text-muted">
              {environment === 'live'
                ? 'This moves real money. We email you a code to confirm it first.'
                : 'Sandbox: no real money moves.'}
            </p>
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onBack} disabled={isSending || outcome.kind === 'unknown'}>
                Edit payout
              </Button>
              <Button kind="primary" isWorking={isSending} disabled={isShort && !isSending} onClick={() => onSend()}>
                {sendLabel({ isSending, outcome, amount })}
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function PayoutFacts({ draft, business }: { draft: Draft; business: string }) {
  const environment = useEnvironment();
  return (
    <Facts>
      <Fact name="Paid from">{environment === 'live' ? `${business}, live` : `${business}, sandbox`}</Fact>
      <Fact name="Recipient type">{draft.type === 'business' ? 'Business' : 'Person'}</Fact>
      <Fact name="Bank name">{draft.bankName}</Fact>
      <Fact name="Sort code">
        <span className="figures">{draft.sortCode}</span>
      </Fact>
      <Fact name="Account number">
        <span className="figures">{draft.accountNumber}</span>
      </Fact>
      <Fact name="Address">
        {[draft.line1, draft.line2, draft.city, draft.postalCode].filter((part) => part.trim() !== '').join(', ')}
      </Fact>
      {draft.email.trim() !== '' && <Fact name="Email">{draft.email.trim()}</Fact>}
      {draft.reference.trim() !== '' && <Fact name="Your reference">{draft.reference.trim()}</Fact>}
      <Fact name="Reference on recipient's statement">
        <span className="font-mono text-small">{bankReference(draft.reference) ?? 'Generated, like KP3F9A21C7'}</span>
      </Fact>
    </Facts>
  );
}

function sendLabel({ isSending, outcome, amount }: { isSending: boolean; outcome: Outcome; amount: string }): string {
  if (isSending) return 'Sending…';
  return outcome.kind === 'unknown' ? 'Retry the same payout' : `Send ${amount}`;
}

function Failed({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'unknown') {
    return (
      <Problem
        error={outcome.error}
        title="We don't know whether the payout was created."
        money="Retry the same payout: the recipient is never paid twice."
      >
        <p>
          You can also <ListLink />. If the payout was created, it is there.
        </p>
      </Problem>
    );
  }
  if (outcome.kind === 'another-order') return <NotTheSame />;
  if (outcome.kind !== 'refused') return null;
  const { shortfall, exceededLimit } = outcome.error;
  return (
    <Problem error={outcome.error} title="The payout was not sent." money="No money moved.">
      {shortfall !== undefined && (
        <p>
          Your wallet holds {formatUsdc(shortfall.availableUsdc)} and the payout needs{' '}
          {formatUsdc(shortfall.requiredUsdc)}. <TopUpLink>Top up {formatUsdc(shortfall.shortfallUsdc)}</TopUpLink>{' '}
          first.
        </p>
      )}
      {exceededLimit !== undefined && <LimitLeft exceeded={exceededLimit} />}
    </Problem>
  );
}

function ListLink() {
  const address = useAddress();
  return (
    <Link to={address('/payouts')} className="font-medium text-tide underline underline-offset-2">
      check the payout list
    </Link>
  );
}

function NotTheSame() {
  return (
    <div role="alert" className="grid gap-2 rounded-lg border border-failed/30 bg-failed-wash p-4">
      <p className="font-medium text-failed">This is not the payout that you sent before.</p>
      <p>
        We don't know yet whether that payout was created, so we sent nothing. Enter the same details again, or{' '}
        <ListLink />.
      </p>
    </div>
  );
}

interface CodeStepProps {
  amount: string;
  name: string;
  business: string;
  isWrong: boolean;
  /** An earlier attempt may have created the payout, so this one can't be edited. */
  isFixed: boolean;
  isSending: boolean;
  onSend: (code?: string) => void;
  onBack: () => void;
}

/** Live: the amount and the name once more, and the code that was emailed for this payout. */
function CodeStep({ amount, name, business, isWrong, isFixed, isSending, onSend, onBack }: CodeStepProps) {
  return (
    <ConfirmCode
      className="rounded-lg border border-line bg-surface p-4 sm:p-5"
      action={`Send ${amount}`}
      working="Sending…"
      isWorking={isSending}
      isWrong={isWrong}
      afterWrong="Nothing was sent."
      onConfirm={onSend}
      onResend={() => onSend()}
      back={
        <Button onClick={onBack} disabled={isSending || isFixed}>
          Edit payout
        </Button>
      }
    >
      It confirms <strong className="figures font-medium">{amount}</strong> of real money to{' '}
      <strong className="font-medium">
        <bdi>{name}</bdi>
      </strong>{' '}
      from the wallet of <strong className="font-medium">{business}</strong>. The code is valid for 5 minutes and only
      for this payout.
    </ConfirmCode>
  );
}
