import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { ConnectFailure } from './connect-failure.ts';
import type { AddressCheck } from './public-address.ts';

/** The IPv4 and IPv6 addresses of a name; empty where it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The second try takes twice as long: together less than a connection may take. */
const dnsTimeoutMs = 1_500;
const dnsTries = 2;
/** A name can have hundreds of addresses. All are checked, and this many are tried. */
const mostTried = 6;

/**
 * Asks the name servers. The system's own lookup would also read /etc/hosts and append search domains, which lead to names
 * of our network, and a slow name would hold one of the few threads that the process has for files.
 */
export function createResolve({ servers }: { servers?: readonly string[] } = {}): Resolve {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: dnsTries });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    // A name has either kind, or both. One that fails does not spoil the other: only what was checked is connected to.
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

async function resolveChecked(name: string, resolve: Resolve, check: AddressCheck) {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new ConnectFailure('not_found');
  // One refused address refuses the name. Otherwise the answer of each lookup would decide, and an attack would look like
  // an endpoint that works most of the time.
  if (!addresses.every(check)) throw new ConnectFailure('address_refused');
  return addresses.slice(0, mostTried).map((address) => ({ address, family: isIP(address) }));
}

/**
 * The lookup of a socket: it connects to the addresses that were checked here, and to no other. A name that resolves
 * differently a moment later (DNS rebinding) changes nothing.
 */
export function createCheckedLookup(resolve: Resolve, check: AddressCheck): LookupFunction {
  return (name, _options, callback) => {
    resolveChecked(name, resolve, check).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error instanceof ConnectFailure ? error : new ConnectFailure('not_found'), []),
    );
  };
}
