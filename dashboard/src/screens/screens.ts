// Every screen is a file of its own to the browser: the first page loads what it shows, and no more.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

interface LazyScreen {
  Screen: LazyExoticComponent<ComponentType>;
  /** Has it loaded before it is asked for: a pointer on its link is reason enough. */
  preload: () => void;
}

function screen(load: () => Promise<{ Screen: ComponentType }>): LazyScreen {
  return {
    Screen: lazy(async () => ({ default: (await load()).Screen })),
    preload: () => void load().catch(() => undefined),
  };
}

export const screens = {
  signIn: screen(async () => import('./sign-in/sign-in.tsx')),
  signUp: screen(async () => import('./sign-in/sign-up.tsx')),
  accounts: screen(async () => import('./sign-in/accounts.tsx')),
  overview: screen(async () => import('./overview/overview.tsx')),
  payouts: screen(async () => import('./payouts/payouts.tsx')),
  payout: screen(async () => import('./payout/payout.tsx')),
  newPayout: screen(async () => import('./new-payout/new-payout.tsx')),
  recipients: screen(async () => import('./recipients/recipients.tsx')),
  usage: screen(async () => import('./usage/usage.tsx')),
  invoices: screen(async () => import('./invoices/invoices.tsx')),
  invoice: screen(async () => import('./invoice/invoice.tsx')),
  statement: screen(async () => import('./statement/statement.tsx')),
  deposits: screen(async () => import('./deposits/deposits.tsx')),
  keys: screen(async () => import('./keys/keys.tsx')),
  developers: screen(async () => import('./developers/developers.tsx')),
  team: screen(async () => import('./team/team.tsx')),
  compliance: screen(async () => import('./compliance/compliance.tsx')),
  activity: screen(async () => import('./activity/activity.tsx')),
  settings: screen(async () => import('./settings/settings.tsx')),
  notFound: screen(async () => import('./not-found/not-found.tsx')),
};

export type ScreenName = keyof typeof screens;
