import { KelpieError, type Session } from '@kelpie/sdk';
import { queryOptions, useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { kelpie } from './kelpie.ts';
import { liveEvery } from './presence.ts';
import { sessionKey } from './session-key.ts';

async function findSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await kelpie.auth.getSession({ signal });
  } catch (error) {
    if (error instanceof KelpieError && error.code === 'unauthorized') return null;
    throw error;
  }
}

function whose(session: Session | null): string {
  return session === null ? 'nobody' : `${session.email} ${session.account.id}`;
}

function dropAll(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal, client }) => {
    const session = await findSession(signal);
    const before = client.getQueryData<Session | null>(sessionKey);
    // Another tab changed the person or the account: nothing that was read before belongs to them.
    if (before !== undefined && whose(before) !== whose(session)) dropAll(client);
    return session;
  },
  // The role and access to live can change during a session.
  refetchInterval: liveEvery(60_000),
  staleTime: 60_000,
});

/** Who is signed in; null when signed out. */
export function useFoundSession(): UseQueryResult<Session | null> {
  return useQuery(sessionQuery);
}

export const SessionContext = createContext<Session | null>(null);

/** Who is signed in, on every page that asks for it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this page is shown to people who are signed in');
  return session;
}

export function useIsAdmin(): boolean {
  return useSession().role === 'admin';
}

/** Whether the account can be used: a suspended or closed one is read-only. */
export function useIsOpen(): boolean {
  const { status } = useSession().account;
  return status !== 'suspended' && status !== 'closed';
}

/** Who may send money from it now. */
export function useCanPay(): boolean {
  const isAdmin = useIsAdmin();
  return useIsOpen() && isAdmin;
}

/** Sets who is signed in, and drops everything that was read before. */
function changeSession(client: QueryClient, session: Session | null): void {
  client.setQueryData(sessionKey, session);
  dropAll(client);
  otherTabs.postMessage('changed');
}

/** Tells the tabs of this browser, which share its session. */
const otherTabs = new BroadcastChannel('kelpie.session');

/** Looks again who is signed in, whenever another tab has changed it. */
export function followOtherTabs(client: QueryClient): void {
  otherTabs.addEventListener('message', () => void client.invalidateQueries({ queryKey: sessionKey }));
}

export function useBeginSession(): (session: Session) => void {
  const client = useQueryClient();
  return (session) => changeSession(client, session);
}

/** Throws when the session may still be open: the person has to know before they leave. */
export function useEndSession(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    try {
      await kelpie.auth.signOut();
    } catch (error) {
      // The session had ended already.
      if (!(error instanceof KelpieError && error.code === 'unauthorized')) throw error;
    }
    changeSession(client, null);
  };
}
