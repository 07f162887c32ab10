/** The groups of the reference, in its order: what an API key uses comes first, the dashboard's own calls last. */
const groups = {
  API: {
    Payouts: 'Quote a payout, create it, follow it, cancel it.',
    Approvals: 'Payouts that another admin has to approve, and the rules that say which.',
    Events: 'What happened to your payouts, wallet and account, numbered without gaps.',
    Webhooks: 'URLs of yours to which events are sent, and what they answered.',
    Wallet: 'The USDC wallet that funds your payouts: balance, top-ups and monthly statements.',
    Billing: 'What payouts cost: usage of the month, daily volume and invoices.',
    Sandbox: 'Drive test payouts, add test money, and choose what the bank answers. Sandbox keys only.',
    Account: 'Your account, its verification, its API keys and its audit log.',
    Discovery: 'Public information. No API key needed.',
  },
  Dashboard: {
    'Dashboard payouts': 'What the dashboard needs to pay a recipient again. Dashboard sessions only.',
    'Dashboard sign-in': 'Sign-up, sign-in by emailed code, and sessions. Only the dashboard calls these.',
    'Dashboard team': 'Members of the account and their roles. Dashboard sessions only.',
    'Dashboard settings': 'Account settings, API keys and business verification. Dashboard sessions only.',
  },
};

export const tags = Object.values(groups).flatMap((group) =>
  Object.entries(group).map(([name, description]) => ({ name, description })),
);

/** How Scalar and Redoc draw the groups. */
export const tagGroups = Object.entries(groups).map(([name, group]) => ({ name, tags: Object.keys(group) }));
