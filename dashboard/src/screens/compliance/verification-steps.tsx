import type { Compliance } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAccountEnvironment, useAccountKelpie } from '../../data/environment.ts';
import { useAccount } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { sessionKey } from '../../data/session-key.ts';
import { Button, ButtonAnchor } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SupportLink } from '../../ui/support-link.tsx';

type Verification = Compliance['business_verification'];

const stepCount = 4;

/** How many steps are done. */
const stepOf: Readonly<Record<string, number>> = {
  not_started: 0,
  action_required: 1,
  in_review: 2,
  rejected: 2,
  approved: stepCount,
};

/** From nothing to live, step by step. */
export function VerificationSteps({ compliance }: { compliance: Compliance }) {
  const verification = compliance.business_verification;
  const done = stepOf[verification.status] ?? 0;
  return (
    <Section title="Verification">
      <ol className="grid">
        <Step number={1} done={done} title="Start verification">
          <Start verification={verification} />
        </Step>
        <Step number={2} done={done} title="Submit business details to the bank">
          <Submission verification={verification} />
        </Step>
        <Step number={3} done={done} title="Bank review">
          <Decision verification={verification} />
        </Step>
        <Step number={4} done={done} title="Live access">
          <Opened isOpen={verification.status === 'approved'} />
        </Step>
      </ol>
    </Section>
  );
}

function Step({ number, done, title, children }: { number: number; done: number; title: string; children: ReactNode }) {
  const isDone = number <= done;
  const isNow = number === done + 1;
  // Once all steps are done, the last one links to live.
  const isEnd = number === stepCount && isDone;
  return (
    <li aria-current={isNow ? 'step' : undefined} className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 pb-5">
      <StepMark number={number} isDone={isDone} isNow={isNow} />
      <div className="grid justify-items-start gap-2">
        <p className={classNames('font-medium', !isDone && !isNow && 'text-muted')}>
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </p>
        {(isNow || isEnd) && children}
      </div>
    </li>
  );
}

function StepMark({ number, isDone, isNow }: { number: number; isDone: boolean; isNow: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'figures grid size-6 place-items-center rounded-full border text-small font-medium',
        isDone && 'border-completed text-completed',
        isNow && 'border-tide bg-tide text-on-tide',
        !isDone && !isNow && 'border-line-strong text-muted',
      )}
    >
      {isDone ? <Icon name="check" size={13} /> : number}
    </span>
  );
}

function Start({ verification }: { verification: Verification }) {
  const environment = useAccountEnvironment();
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const price = useAccount().data?.prices.business_verification;
  const starting = useMutation({
    mutationFn: async () => kelpie.compliance.startVerification(),
    onSuccess: (compliance) => client.setQueryData([environment, 'compliance'], compliance),
  });
  if (verification.status !== 'not_started') return null;
  if (!isAdmin) return <p className="text-muted">Only an admin can start verification.</p>;
  return (
    <>
      <p className="text-muted">
        Verification costs {price ?? 'a fee'}, charged once on your first invoice. Have your business registration and
        the owners' identity documents ready.
      </p>
      {starting.error !== null && (
        <Problem
          error={starting.error}
          title="Verification was not started."
          unknown="We don't know whether verification was started."
        />
      )}
      <Button kind="primary" isWorking={starting.isPending} onClick={() => starting.mutate()}>
        Start verification
      </Button>
    </>
  );
}

function Submission({
  verification: { terms_url: termsUrl, continue_url: continueUrl },
}: {
  verification: Verification;
}) {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return <p className="text-muted">Only an admin can continue on the bank's pages.</p>;
  return (
    <>
      <p className="text-muted">These links open the bank's pages. The bank sends you back to this page afterwards.</p>
      <div className="flex flex-wrap gap-2">
        {termsUrl !== null && (
          <ButtonAnchor href={termsUrl}>
            Accept bank terms
            <Icon name="external" size={13} />
          </ButtonAnchor>
        )}
        {continueUrl !== null && (
          <ButtonAnchor kind="primary" href={continueUrl}>
            Continue verification
            <Icon name="external" size={13} />
          </ButtonAnchor>
        )}
      </div>
    </>
  );
}

function Decision({ verification }: { verification: Verification }) {
  if (verification.status === 'rejected') {
    return (
      <div role="status" className="grid gap-1 rounded-lg bg-failed-wash p-4">
        <p className="font-medium text-failed">The bank did not approve your business.</p>
        <p>
          Your sandbox keeps working. <SupportLink /> to find out what you can do.
        </p>
      </div>
    );
  }
  return (
    <p className="text-muted">This takes minutes to two working days. We email the admins when the bank decides.</p>
  );
}

function Opened({ isOpen }: { isOpen: boolean }) {
  const client = useQueryClient();
  if (!isOpen) return null;
  return (
    <Link
      to="/live"
      onClick={() => void client.invalidateQueries({ queryKey: sessionKey })}
      className="text-tide underline"
    >
      Go to live
    </Link>
  );
}
