import type { Kelpie } from '@kelpie/sdk';
import { createContext, useContext } from 'react';
import { kelpieOf, type Environment } from './kelpie.ts';
import { useSession } from './session.ts';

export const EnvironmentContext = createContext<Environment>('sandbox');

/** The environment in the address. Every page in the shell has one. */
export function useEnvironment(): Environment {
  return useContext(EnvironmentContext);
}

export function useKelpie(): Kelpie {
  return kelpieOf(useEnvironment(), useSession().account.id);
}

/** For what belongs to the whole account: before live is available, only the sandbox answers. */
export function useAccountEnvironment(): Environment {
  const environment = useEnvironment();
  return useSession().account.has_live ? environment : 'sandbox';
}

/** The client for it. */
export function useAccountKelpie(): Kelpie {
  return kelpieOf(useAccountEnvironment(), useSession().account.id);
}

/** An address within the current environment: `/payouts` is `/sandbox/payouts`. */
export function useAddress(): (path: string) => string {
  const environment = useEnvironment();
  return (path) => `/${environment}${path === '/' ? '' : path}`;
}

export function environmentFrom(text: string | undefined): Environment | undefined {
  return text === 'sandbox' || text === 'live' ? text : undefined;
}
