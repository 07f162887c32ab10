import { KelpieError, KelpieUnreachable } from '@kelpie/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionKey } from './session-key.ts';

const mostTries = 3;

/** Reads are safe to repeat where it can help. What writes is never repeated by itself. */
function isWorthRepeating(tries: number, error: Error): boolean {
  if (tries >= mostTries - 1) return false;
  if (error instanceof KelpieUnreachable) return error.reason !== 'aborted';
  return error instanceof KelpieError && (error.status >= 500 || error.status === 429);
}

/** Another tab switched accounts: the page is remounted for the session's account. */
function refreshChangedSession(client: QueryClient, error: Error): void {
  if (!(error instanceof KelpieError) || error.code !== 'session_changed') return;
  void client.invalidateQueries({ queryKey: sessionKey });
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        // The session has expired: the person signs in again and returns to this page.
        if (error instanceof KelpieError && error.code === 'unauthorized') client.setQueryData(sessionKey, null);
        refreshChangedSession(client, error);
      },
    }),
    mutationCache: new MutationCache({ onError: (error) => refreshChangedSession(client, error) }),
    defaultOptions: {
      // Whether or not the browser thinks that it is online: what can't be asked now says so. Nothing waits to go later by
      // itself, when nobody looks any more, or somebody else does.
      queries: {
        networkMode: 'always',
        retry: isWorthRepeating,
        retryDelay: (tries) => 500 * 2 ** tries,
        staleTime: 5_000,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}
