import { useState } from 'react';
import { Link } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useSession } from '../../data/session.ts';
import { bankReference } from '../../format/bank-reference.ts';
import { amountFrom, formatPounds, formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { CodeField, isWholeCode } from '../../ui/code-field.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { Draft } from './order.ts';
import type { Outcome } from './outcome.ts';
import type { Sending } from './send-order.ts';

interface ReviewProps {
  draft: Draft;
  sending: Sending;
  onSend: (code?: string) => void;
  onBack: () => void;
}

/** Everything once more, before money moves. */
export function Review({ draft, sending, onSend, onBack }: ReviewProps) {
  const environment = useEnvironment();
  const amount = formatPounds(amountFrom(draft.amount) ?? draft.amount);
  const name = `${draft.firstName.trim()} ${draft.lastName.trim()}`;
  const { outcome, isSending } = sending;
  const business = useSession().account.name;
  return (
    // On a narrow screen what it costs stands between who is paid and what sends it.
    <div className="grid min-w-0 content-start gap-6 max-lg:contents">
      <div className="grid min-w-0 content-start gap-6">
        <p className="text-title">
          <strong className="figures font-semibold">{amount}</strong> to{' '}
          <strong className="font-semibold">{name}</strong>
        </p>
        <Facts>
          <Fact name="Paid by">{environment === 'live' ? `${business}, live` : `${business}, sandbox`}</Fact>
          <Fact name="Who is paid">{draft.type === 'business' ? 'A business' : 'A person'}</Fact>
          <Fact name="Bank">{draft.bankName}</Fact>
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
          <Fact name="The recipient sees">
            <span className="font-mono text-small">{bankReference(draft.reference) ?? 'KP and eight characters'}</span>
          </Fact>
        </Facts>
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
                ? 'This moves real money. Before it goes, we mail you a code to confirm it.'
                : 'Sandbox: no real money moves.'}
            </p>
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onBack} disabled={isSending || outcome.kind === 'unknown'}>
                Change it
              </Button>
              <Button kind="primary" isWorking={isSending} onClick={() => onSend()}>
                {sendLabel({ isSending, outcome, amount })}
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function sendLabel({ isSending, outcome, amount }: { isSending: boolean; outcome: Outcome; amount: string }): string {
  if (isSending) return 'Sending…';
  return outcome.kind === 'unknown' ? 'Try the same again' : `Send ${amount}`;
}

function Failed({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'unknown') {
    return (
      <Problem
        error={outcome.error}
        title="It is not known whether the payout was made."
        money="Try the same again: the recipient is not paid twice."
      >
        <p>
          Or <ListLink />, where it is if it was made.
        </p>
      </Problem>
    );
  }
  if (outcome.kind === 'another-order') return <NotTheSame />;
  if (outcome.kind !== 'refused') return null;
  const { shortfall } = outcome.error;
  return (
    <Problem error={outcome.error} title="The payout was not sent." money="No money moved.">
      {shortfall !== undefined && (
        <p>
          The wallet holds {formatUsdc(shortfall.availableUsdc)} and needs {formatUsdc(shortfall.requiredUsdc)}: top up{' '}
          <strong className="figures font-medium">{formatUsdc(shortfall.shortfallUsdc)}</strong>.
        </p>
      )}
    </Problem>
  );
}

function ListLink() {
  const address = useAddress();
  return (
    <Link to={address('/payouts')} className="font-medium text-tide underline underline-offset-2">
      look in the list
    </Link>
  );
}

function NotTheSame() {
  return (
    <div role="alert" className="grid gap-2 rounded-lg border border-failed/30 bg-failed-wash p-4">
      <p className="font-medium text-failed">This is not the payout that was sent before.</p>
      <p>
        It is not known yet whether that one was made, so nothing was sent now. Change this one until it is the same, or{' '}
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
  /** Whether an earlier attempt may have become a payout: then this order can not be changed. */
  isFixed: boolean;
  isSending: boolean;
  onSend: (code?: string) => void;
  onBack: () => void;
}

/** Live: the amount and the name once more, and the code that was mailed for exactly this. */
function CodeStep({ amount, name, business, isWrong, isFixed, isSending, onSend, onBack }: CodeStepProps) {
  const { email } = useSession();
  const [code, setCode] = useState('');
  const [isNewCode, setNewCode] = useState(false);
  return (
    <form
      className="grid gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWholeCode(code) || isSending) return;
        setNewCode(false);
        onSend(code);
      }}
    >
      <p>
        We have mailed a code to <strong className="font-medium">{email}</strong>. It sends{' '}
        <strong className="figures font-medium">{amount}</strong> of real money to{' '}
        <strong className="font-medium">{name}</strong> from the wallet of{' '}
        <strong className="font-medium">{business}</strong>, and nothing else. It is valid for 5 minutes.
      </p>
      <CodeField
        value={code}
        onChange={setCode}
        error={isWrong ? 'This code does not confirm this payout. Nothing was sent. Have a new one mailed.' : undefined}
      />
      <div className="flex flex-wrap justify-between gap-2">
        <Button
          kind="quiet"
          className="-ml-3.5"
          isWorking={isSending}
          onClick={() => {
            setCode('');
            setNewCode(true);
            onSend();
          }}
        >
          Mail me a new code
        </Button>
        <div className="ml-auto flex gap-2">
          <Button onClick={onBack} disabled={isSending || isFixed}>
            Change it
          </Button>
          <Button kind="primary" type="submit" isWorking={isSending} disabled={!isWholeCode(code)}>
            {isSending && !isNewCode ? 'Sending…' : `Send ${amount}`}
          </Button>
        </div>
      </div>
    </form>
  );
}
