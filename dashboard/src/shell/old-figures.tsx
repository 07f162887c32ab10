import { notifyManager, useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { Timestamp } from '../ui/timestamp.tsx';

/** Shown, but the last refresh failed. */
function isOld({ state }: Query): boolean {
  return state.status === 'error' && state.data !== undefined;
}

function oldestAtMs(client: QueryClient): number | undefined {
  const old = client.getQueryCache().findAll({ type: 'active', predicate: isOld });
  const times = old.map(({ state }) => state.dataUpdatedAt);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Pages refresh by themselves, so people take figures for current. When a refresh fails, the page says how old they are. */
export function OldFigures() {
  const client = useQueryClient();
  const subscribe = useCallback(
    // Later, and once for many: a page that is being drawn asks for what it needs, which must not draw another one.
    (onChange: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [client],
  );
  const atMs = useSyncExternalStore(subscribe, () => oldestAtMs(client));
  if (atMs === undefined) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line bg-returned-wash px-4 py-2 sm:px-8"
    >
      <p className="text-returned">
        Last updated <Timestamp at={new Date(atMs).toISOString()} to="second" />. Reconnecting…
      </p>
      <Button
        kind="quiet"
        className="-mx-3.5"
        onClick={() => void client.refetchQueries({ type: 'active', predicate: isOld })}
      >
        Refresh now
      </Button>
    </div>
  );
}
