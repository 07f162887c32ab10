// Every screen is a file of its own to the browser: the first page loads what it shows, and no more.
import { createElement, use, type ComponentType } from 'react';

interface LazyScreen {
  Screen: ComponentType;
  /** Loads it early, when a pointer or the focus reaches its link. */
  preload: () => void;
  /** After a failure, lets it load again. */
  resetFailed: () => void;
}

/** Its script could not be loaded: no connection, or a release since has replaced it. */
export class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded';
}

/** Not `lazy` of React, which keeps a failure for ever: a page opened offline could not be shown later without a reload. */
function screen(load: () => Promise<{ Screen: ComponentType }>): LazyScreen {
  let loading: Promise<{ Screen: ComponentType }> | undefined;
  let isFailed = false;
  const start = async (): Promise<{ Screen: ComponentType }> => {
    try {
      return await load();
    } catch (cause) {
      isFailed = true;
      throw new ScreenNotLoaded('a screen could not be loaded', { cause });
    }
  };
  const resetFailed = (): void => {
    if (isFailed) loading = undefined;
    isFailed = false;
  };
  return {
    Screen: function LoadedScreen() {
      loading ??= start();
      return createElement(use(loading).Screen);
    },
    preload() {
      if (loading !== undefined) return;
      loading = start();
      // The page itself tries once more before it reports a failure.
      loading.catch(resetFailed);
    },
    resetFailed,
  };
}

export const screens = {
  signIn: screen(async () => import('./sign-in/sign-in.tsx')),
  signUp: screen(async () => import('./sign-in/sign-up.tsx')),
  accounts: screen(async () => import('./sign-in/accounts.tsx')),
  notMe: screen(async () => import('./sign-in/not-me.tsx')),
  confirmAddress: screen(async () => import('./sign-in/confirm-address.tsx')),
  overview: screen(async () => import('./overview/overview.tsx')),
  payouts: screen(async () => import('./payouts/payouts.tsx')),
  payout: screen(async () => import('./payout/payout.tsx')),
  newPayout: screen(async () => import('./new-payout/new-payout.tsx')),
  approvals: screen(async () => import('./approvals/approvals.tsx')),
  recipients: screen(async () => import('./recipients/recipients.tsx')),
  usage: screen(async () => import('./usage/usage.tsx')),
  invoices: screen(async () => import('./invoices/invoices.tsx')),
  invoice: screen(async () => import('./invoice/invoice.tsx')),
  statement: screen(async () => import('./statement/statement.tsx')),
  deposits: screen(async () => import('./deposits/deposits.tsx')),
  keys: screen(async () => import('./keys/keys.tsx')),
  webhooks: screen(async () => import('./webhooks/webhooks.tsx')),
  webhook: screen(async () => import('./webhooks/webhook.tsx')),
  delivery: screen(async () => import('./webhooks/delivery.tsx')),
  events: screen(async () => import('./events/events.tsx')),
  event: screen(async () => import('./event/event.tsx')),
  developers: screen(async () => import('./developers/developers.tsx')),
  team: screen(async () => import('./team/team.tsx')),
  security: screen(async () => import('./security/security.tsx')),
  compliance: screen(async () => import('./compliance/compliance.tsx')),
  activity: screen(async () => import('./activity/activity.tsx')),
  settings: screen(async () => import('./settings/settings.tsx')),
  notFound: screen(async () => import('./not-found/not-found.tsx')),
};

export type ScreenName = keyof typeof screens;

export function resetFailedScreens(): void {
  for (const { resetFailed } of Object.values(screens)) resetFailed();
}
