import type { SandboxBankRequest } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';

type Answers = SandboxBankRequest['answers'];

const options: readonly { value: Answers; label: string; effect: string }[] = [
  {
    value: 'lost',
    label: 'Lost',
    effect: 'The bank pays, but its answer is lost: the payout is pending until we find it.',
  },
  { value: 'slow', label: 'Slow', effect: 'The bank answers after 4 seconds.' },
  {
    value: 'refused',
    label: 'Refused',
    effect: 'The bank refuses the payout: the request gets 502, and nothing is sent.',
  },
  {
    value: 'unavailable',
    label: 'Unavailable',
    effect: 'The bank cannot be reached: the request gets 502, and nothing is sent.',
  },
  { value: 'normal', label: 'Normal', effect: 'The bank answers as usual, from now on.' },
];

/** A whole number from 1 to 100; undefined for anything else. */
function timesFrom(typed: string): number | undefined {
  return /^([1-9]\d?|100)$/.test(typed.trim()) ? Number(typed) : undefined;
}

/** What the sandbox bank answers next to this account, and to no other. */
export function BankAnswers() {
  const kelpie = useKelpie();
  const [answers, setAnswers] = useState<Answers>('lost');
  const [typed, setTyped] = useState('1');
  const setting = useMutation({ mutationFn: async (request: SandboxBankRequest) => kelpie.sandbox.setBank(request) });
  const times = timesFrom(typed);
  const isNormal = answers === 'normal';
  const effect = options.find(({ value }) => value === answers)?.effect;
  return (
    <Section title="Test the bank's answers">
      <p className="text-muted">
        Choose what the sandbox bank answers to your next payouts. No other account is affected.
      </p>
      <form
        noValidate
        className="grid max-w-form gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (setting.isPending) return;
          if (isNormal) setting.mutate({ answers });
          else if (times !== undefined) setting.mutate({ answers, times });
        }}
      >
        <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
          <Choice label="Answer" value={answers} options={options} onChange={setAnswers} hint={effect} />
          {!isNormal && (
            <Field
              label="Payouts"
              name="times"
              isRequired
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={setTyped}
              error={times === undefined ? 'From 1 to 100.' : undefined}
              className="figures"
            />
          )}
        </div>
        {setting.error !== null && <Problem error={setting.error} title="The bank's answers were not set." />}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button type="submit" disabled={!isNormal && times === undefined} isWorking={setting.isPending}>
            Set answers
          </Button>
          {setting.data !== undefined && !setting.isPending && <Now set={setting.data} />}
        </div>
      </form>
    </Section>
  );
}

function Now({ set: { answers, times } }: { set: { answers: Answers; times: number } }) {
  const label = options.find(({ value }) => value === answers)?.label.toLowerCase();
  return (
    <p role="status" className="text-muted">
      {answers === 'normal'
        ? 'The bank answers as usual.'
        : `Set: ${label} for the next ${times === 1 ? 'payout' : `${times} payouts`}.`}
    </p>
  );
}
