import { isLoopback, ownOriginsOf } from '../../platform/own-origins.ts';

/** For whom a passkey is good: an authenticator signs both with each use. */
export interface RelyingParty {
  id: string;
  origins: string[];
}

export function relyingPartyOf(dashboardUrl: string): RelyingParty {
  const { hostname } = new URL(dashboardUrl);
  return { id: isLoopback(hostname) ? 'localhost' : hostname, origins: ownOriginsOf(dashboardUrl) };
}
