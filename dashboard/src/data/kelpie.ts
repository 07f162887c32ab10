// The one way to the API: the client that partners use, with a session in place of a key.
import { createKelpie, type Kelpie } from '@kelpie/sdk';

export type Environment = 'sandbox' | 'live';

const baseUrl = location.origin;

const clients = new Map<string, Kelpie>();

/**
 * A browser has one session for all its tabs. A page names its account, so that the API refuses the page once the
 * session is another's: no page pays from an account that it does not show. Undefined before it is known which. What failed is
 * repeated by the query client, or by the person.
 */
export function kelpieOf(environment: Environment, account: string | undefined): Kelpie {
  const name = `${environment} ${account}`;
  const known = clients.get(name) ?? createKelpie({ baseUrl, environment, account, retries: 0 });
  clients.set(name, known);
  return known;
}

/** For what belongs to no environment and no account: signing in and out, switching accounts. */
export const kelpie = kelpieOf('sandbox', undefined);
