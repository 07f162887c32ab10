import type { DeliveryWithAttempts } from '@kelpie/sdk';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Answer, Outcome } from './answer.tsx';

type Attempt = DeliveryWithAttempts['attempt_log'][number];

/** The newest first; the answer to each on demand. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <Empty title="Not tried yet">Each attempt appears here with its answer.</Empty>;
  return (
    <ol className="divide-y divide-line border-y border-line">
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <details className="group">
            <summary className="flex min-h-11 cursor-pointer list-none flex-wrap items-center justify-between gap-x-4 gap-y-0.5 py-2 hover:bg-hover [&::-webkit-details-marker]:hidden">
              <span className="flex items-center gap-2">
                <span className="text-muted transition-transform group-open:rotate-180">
                  <Icon name="down" size={14} />
                </span>
                <span className="font-medium">Attempt {attempt.number}</span>
                <Outcome answer={attempt} />
              </span>
              <span className="text-small text-muted">
                <Timestamp at={attempt.at} to="second" />
              </span>
            </summary>
            <div className="pb-4">
              <Answer answer={attempt} />
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}
