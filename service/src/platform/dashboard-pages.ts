type Environment = 'sandbox' | 'live';

/** The dashboard's pages that emails and the bank link to. A test checks them against the dashboard's routes. */
export const dashboardPages = {
  keys: (environment: Environment): string => `/${environment}/keys`,
  webhooks: (environment: Environment): string => `/${environment}/webhooks`,
  payout: (environment: Environment, id: string): string => `/${environment}/payouts/${id}`,
  approvals: (environment: Environment): string => `/${environment}/approvals`,
  payouts: (environment: Environment): string => `/${environment}/payouts`,
  topUps: (environment: Environment): string => `/${environment}/deposits`,
  /** An invoice is the account's: it opens in live, which everyone who is invoiced has. */
  invoice: (id: string): string => `/live/invoices/${id}`,
  compliance: (environment: Environment): string => `/${environment}/compliance`,
  security: (environment: Environment): string => `/${environment}/security`,
  settings: (environment: Environment): string => `/${environment}/settings`,
  team: (environment: Environment): string => `/${environment}/team`,
  /** The token is in the fragment: no server, proxy or log on the way sees it. */
  notMe: (token: string): string => `/not-me#${token}`,
  confirmAddress: (token: string): string => `/confirm-address#${token}`,
};
