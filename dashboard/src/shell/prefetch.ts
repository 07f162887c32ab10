import type { QueryClient } from '@tanstack/react-query';
import { environmentFrom } from '../data/environment.ts';
import type { Environment } from '../data/kelpie.ts';
import {
  balanceQuery,
  complianceQuery,
  daysQuery,
  fundingQuery,
  payoutsQuery,
  recentPayouts,
  troubledPayouts,
} from '../data/reads.ts';
import { sessionQuery } from '../data/session.ts';
import { screens, type ScreenName } from '../screens/screens.ts';

/** The screens that show one of many, by the first part of their address. */
const ofOne: Readonly<Record<string, ScreenName>> = {
  payouts: 'payout',
  invoices: 'invoice',
  webhooks: 'webhook',
  events: 'event',
};

/** A screen is called as the first part of its address, but for those that show one of many. */
function screenAt([first = '', second, third]: readonly string[]): ScreenName | undefined {
  if (first === '') return 'overview';
  if (first === 'payouts' && second === 'new') return 'newPayout';
  if (third === 'deliveries') return 'delivery';
  if (second !== undefined) return ofOne[first];
  return Object.keys(screens).find((name): name is ScreenName => name === first);
}

function prefetchOverview(client: QueryClient, environment: Environment): void {
  void client.prefetchQuery(balanceQuery(environment));
  void client.prefetchQuery(daysQuery(environment));
  void client.prefetchQuery(complianceQuery(environment));
  void client.prefetchQuery(fundingQuery(environment));
  void client.prefetchQuery(payoutsQuery(environment, recentPayouts));
  void client.prefetchQuery(payoutsQuery(environment, troubledPayouts));
}

/**
 * Fetches what the first page will need, before there is a page: its script, who is signed in, and on the overview its
 * figures, all at once in place of one after the other.
 */
export async function prefetchFirstPage(client: QueryClient, address: string): Promise<void> {
  const [named, ...rest] = address.replace(/^\/dashboard\/?/, '').split('/');
  const environment = environmentFrom(named);
  const session = client.fetchQuery(sessionQuery);
  if (environment !== undefined) {
    const screen = screenAt(rest);
    if (screen !== undefined) screens[screen].preload();
    // Before live is open it refuses everything: whether it is, the session says.
    const isOpen = environment === 'sandbox' || (await session.catch(() => null))?.account.has_live === true;
    if (screen === 'overview' && isOpen) prefetchOverview(client, environment);
  }
  // The page shows what went wrong: it fetches the same.
  await session.catch(() => null);
}
