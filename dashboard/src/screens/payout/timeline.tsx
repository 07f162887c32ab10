import type { Payout, PayoutHistory } from '@kelpie/sdk';
import type { ReactNode } from 'react';
import { statusLabels } from '../../format/payout-labels.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Status } from '../../ui/status.tsx';

function formatActor(by: string): string {
  if (by === 'bank') return 'the bank';
  return by === 'worker' ? 'Kelpie' : by;
}

type HistoryStep = PayoutHistory['steps'][number];

/** The creator's request also sent the payout to the bank, so the first status after it is the bank's answer. */
function actorOf({ by, status }: HistoryStep, createdBy: string): string {
  return by === createdBy && status !== 'cancelled' ? 'the bank' : formatActor(by);
}

function noteOf({ money_back: isMoneyBack, status }: HistoryStep, isLast: boolean): string {
  if (isMoneyBack) return 'The money is back in your wallet.';
  return isLast ? statusLabels[status].meaning : statusLabels[status].meant;
}

/** Every status with who and when, the oldest first. */
export function Timeline({ payout, history }: { payout: Payout; history: PayoutHistory }) {
  return (
    <ol className="grid gap-0">
      <Step at={payout.created_at} by={formatActor(history.created_by)} isLast={history.steps.length === 0}>
        <span className="font-medium">Created</span>
      </Step>
      {history.steps.map((step, at) => (
        <Step
          key={`${step.at} ${step.status}`}
          at={step.at}
          by={actorOf(step, history.created_by)}
          isLast={at === history.steps.length - 1}
          note={noteOf(step, at === history.steps.length - 1)}
        >
          {step.money_back ? <span className="font-medium">Refunded</span> : <Status status={step.status} />}
        </Step>
      ))}
    </ol>
  );
}

interface StepProps {
  at: string;
  by: string;
  isLast: boolean;
  note?: string;
  children: ReactNode;
}

function Step({ at, by, isLast, note, children }: StepProps) {
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3">
      <span aria-hidden="true" className="flex flex-col items-center pt-2">
        <span className="size-1.5 shrink-0 rounded-full bg-line-strong" />
        {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
      </span>
      <div className="grid gap-0.5 pb-4">
        <p className="flex flex-wrap items-center justify-between gap-x-4">
          {children}
          <span className="text-small text-muted">
            <Timestamp at={at} to="second" />
          </span>
        </p>
        <p className="text-small break-words text-muted">
          By {by}
          {note !== undefined && `. ${note}`}
        </p>
      </div>
    </li>
  );
}
