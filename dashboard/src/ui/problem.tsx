import { KelpieError, KelpieUnreachable } from '@kelpie/sdk';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon } from './icon.tsx';

function messageOf(error: unknown): string {
  if (error instanceof KelpieError) return error.message;
  if (error instanceof KelpieUnreachable) return 'No answer came from Kelpie. Look at your connection, then try again.';
  return 'Something went wrong in this page. Load it again; if it stays so, write to us.';
}

/** No answer, or one of a service in trouble: neither says what was done. */
function isUnknown(error: unknown): boolean {
  return error instanceof KelpieError ? error.status >= 500 : error instanceof KelpieUnreachable;
}

interface ProblemProps {
  error: unknown;
  /** What could not be done, as a whole sentence. */
  title: string;
  /** For what changes something: what to say in its place where nobody knows whether it was done. */
  unknown?: string | undefined;
  /** Whether money moved, where that is the question. */
  money?: string | undefined;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}

/** What happened, whether money moved, what to do, and the id by which support finds it. */
export function Problem({ error, title, unknown, money, onRetry, children }: ProblemProps) {
  const requestId = error instanceof KelpieError ? error.requestId : undefined;
  // What is not there will not be there the next time.
  const isRepeatable = onRetry !== undefined && !(error instanceof KelpieError && error.status === 404);
  return (
    <div role="alert" className="grid gap-2 rounded-lg border border-failed/30 bg-failed-wash p-4">
      <p className="flex items-center gap-2 font-medium text-failed">
        <Icon name="warning" />
        {unknown !== undefined && isUnknown(error) ? unknown : title}
      </p>
      <p>
        {messageOf(error)}
        {money !== undefined && <strong className="font-medium"> {money}</strong>}
      </p>
      {children}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {isRepeatable && <Button onClick={onRetry}>Try again</Button>}
        {requestId !== undefined && (
          <p className="flex min-w-0 flex-wrap items-center gap-1 text-small text-muted">
            Request-Id <code className="font-mono break-all">{requestId}</code>
            <CopyButton text={requestId} what="Request-Id" />
          </p>
        )}
      </div>
    </div>
  );
}
