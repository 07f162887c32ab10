import type { Kelpie, Payout, PayoutStatus } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { useIsAdmin } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ChooseFailure, type FailureCode } from './choose-failure.tsx';

type Step =
  | { kind: 'advance' | 'hold' }
  | { kind: 'fail'; code: FailureCode<'fail'> }
  | { kind: 'return'; code: FailureCode<'return'> };

async function perform({ sandbox }: Kelpie, id: string, step: Step): Promise<Payout> {
  switch (step.kind) {
    case 'advance':
      return sandbox.advancePayout(id);
    case 'hold':
      return sandbox.holdPayout(id);
    case 'fail':
      return sandbox.failPayout(id, { failure_code: step.code });
    case 'return':
      return sandbox.returnPayout(id, { failure_code: step.code });
  }
}

const steppable: ReadonlySet<PayoutStatus> = new Set(['pending', 'processing', 'completed']);

/** What the sandbox bank does next with a test payout. */
export function TestSteps({ payout }: { payout: Payout }) {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  if (environment !== 'sandbox' || !isAdmin || !steppable.has(payout.status)) return null;
  return <Steps payout={payout} />;
}

function Steps({ payout: { id, status } }: { payout: Payout }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [choosing, setChoosing] = useState<'fail' | 'return' | null>(null);
  const stepping = useMutation({
    mutationFn: async (step: Step) => perform(kelpie, id, step),
    onSuccess: (stepped) => {
      client.setQueryData([environment, 'payout', id], stepped);
      setChoosing(null);
    },
    onSettled: async () => client.invalidateQueries({ queryKey: [environment] }),
  });
  const isOpen = status === 'pending' || status === 'processing';
  const running = stepping.isPending ? stepping.variables.kind : null;
  const start = (step: Step): void => {
    if (!stepping.isPending) stepping.mutate(step);
  };
  const choose = (kind: 'fail' | 'return'): void => {
    stepping.reset();
    setChoosing(kind);
  };
  const problem = stepping.error !== null && (
    <Problem
      error={stepping.error}
      title="The step was not made."
      unknown="We don't know whether the step was made. Reload the page to see the payout."
    />
  );
  return (
    <Section title="Test steps">
      <p className="text-muted">Sandbox only. The bank does what you choose, and you receive the events.</p>
      <div className="flex flex-wrap gap-2">
        {isOpen && (
          <>
            <Button isWorking={running === 'advance'} onClick={() => start({ kind: 'advance' })}>
              Advance payout
            </Button>
            <Button isWorking={running === 'hold'} onClick={() => start({ kind: 'hold' })}>
              Hold payout
            </Button>
            <Button onClick={() => choose('fail')}>Fail payout…</Button>
          </>
        )}
        <Button onClick={() => choose('return')}>Return payout…</Button>
      </div>
      {stepping.isSuccess && stepping.variables.kind === 'hold' && isOpen && (
        <p role="status">On hold. It stays as it is until the next step, or until you cancel it.</p>
      )}
      {choosing === null && problem}
      {choosing === 'fail' && (
        <ChooseFailure
          of="fail"
          problem={problem}
          isWorking={stepping.isPending}
          onClose={() => setChoosing(null)}
          onChosen={(code) => start({ kind: 'fail', code })}
        />
      )}
      {choosing === 'return' && (
        <ChooseFailure
          of="return"
          problem={problem}
          isWorking={stepping.isPending}
          onClose={() => setChoosing(null)}
          onChosen={(code) => start({ kind: 'return', code })}
        />
      )}
    </Section>
  );
}
