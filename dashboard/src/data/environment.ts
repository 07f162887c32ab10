import type { Kelpie } from '@kelpie/sdk';
import { createContext, useContext } from 'react';
import { kelpieOf, type Environment } from './kelpie.ts';
import { useSession } from './session.ts';

export const EnvironmentContext = createContext<Environment>('sandbox');

/** The environment that the address names: every page below the shell is of one. */
export function useEnvironment(): Environment {
  return useContext(EnvironmentContext);
}

export function useKelpie(): Kelpie {
  return kelpieOf(useEnvironment(), useSession().account.id);
}

/** For what is of the account as a whole: while live is not open, only the sandbox can be asked about it. */
export function useAccountEnvironment(): Environment {
  const environment = useEnvironment();
  return useSession().account.has_live ? environment : 'sandbox';
}

/** The client for it. */
export function useAccountKelpie(): Kelpie {
  return kelpieOf(useAccountEnvironment(), useSession().account.id);
}

/** An address within the environment that is looked at: `/payouts` is `/sandbox/payouts`. */
export function useAddress(): (path: string) => string {
  const environment = useEnvironment();
  return (path) => `/${environment}${path === '/' ? '' : path}`;
}

export function environmentFrom(text: string | undefined): Environment | undefined {
  return text === 'sandbox' || text === 'live' ? text : undefined;
}
