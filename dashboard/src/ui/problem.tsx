import { KelpieError, KelpieUnreachable } from '@kelpie/sdk';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon } from './icon.tsx';
import { SupportLink } from './support-link.tsx';

function Message({ error }: { error: unknown }) {
  if (error instanceof KelpieError) return error.message;
  if (error instanceof KelpieUnreachable) return 'Kelpie did not respond. Check your connection, then try again.';
  return (
    <>
      Something went wrong on this page. Reload it. If the problem continues, <SupportLink>contact support</SupportLink>
      .
    </>
  );
}

/** No answer, or a server error: neither says what was done. */
function isUnknown(error: unknown): boolean {
  return error instanceof KelpieError ? error.status >= 500 : error instanceof KelpieUnreachable;
}

interface ProblemProps {
  error: unknown;
  /** What could not be done, as a whole sentence. */
  title: string;
  /** For writes: the title when the outcome is unknown. */
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
        <Message error={error} />
        {money !== undefined && <strong className="font-medium"> {money}</strong>}
      </p>
      {children}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {isRepeatable && <Button onClick={onRetry}>Try again</Button>}
        {requestId !== undefined && (
          <p className="flex min-w-0 flex-wrap items-center gap-1 text-small text-muted">
            Request ID <code className="font-mono break-all">{requestId}</code>
            <CopyButton text={requestId} what="request ID" />
          </p>
        )}
      </div>
    </div>
  );
}
