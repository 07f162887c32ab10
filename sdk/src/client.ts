import { createCalls, type Calls } from './calls.ts';
import { connect, type KelpieOptions } from './options.ts';
import createAccount from './resources/account.ts';
import createActivity from './resources/activity.ts';
import createApprovalRules from './resources/approval-rules.ts';
import createAuth from './resources/auth.ts';
import createBalance from './resources/balance.ts';
import createCompliance from './resources/compliance.ts';
import createDeposits from './resources/deposits.ts';
import createDiscovery from './resources/discovery.ts';
import createEvents from './resources/events.ts';
import createFunding from './resources/funding.ts';
import createInvoices from './resources/invoices.ts';
import createKeys from './resources/keys.ts';
import createLimits from './resources/limits.ts';
import createMembers from './resources/members.ts';
import createPartners from './resources/partners.ts';
import createPasskeys from './resources/passkeys.ts';
import createPayoutRequests from './resources/payout-requests.ts';
import createPayouts from './resources/payouts.ts';
import createQuotes from './resources/quotes.ts';
import createRecipients from './resources/recipients.ts';
import createSandbox from './resources/sandbox.ts';
import createSecurityEvents from './resources/security-events.ts';
import createSignUp from './resources/signup.ts';
import createStatements from './resources/statements.ts';
import createUsage from './resources/usage.ts';
import createWebhooks from './resources/webhooks.ts';

/** Every resource, by its name in the client. */
function createResources(calls: Calls) {
  return {
    account: createAccount(calls),
    activity: createActivity(calls),
    approvalRules: createApprovalRules(calls),
    auth: createAuth(calls),
    balance: createBalance(calls),
    compliance: createCompliance(calls),
    deposits: createDeposits(calls),
    discovery: createDiscovery(calls),
    events: createEvents(calls),
    funding: createFunding(calls),
    invoices: createInvoices(calls),
    keys: createKeys(calls),
    limits: createLimits(calls),
    members: createMembers(calls),
    partners: createPartners(calls),
    passkeys: createPasskeys(calls),
    payoutRequests: createPayoutRequests(calls),
    payouts: createPayouts(calls),
    quotes: createQuotes(calls),
    recipients: createRecipients(calls),
    sandbox: createSandbox(calls),
    securityEvents: createSecurityEvents(calls),
    signup: createSignUp(calls),
    statements: createStatements(calls),
    usage: createUsage(calls),
    webhooks: createWebhooks(calls),
  };
}

/** A client of the Kelpie Payouts API. It keeps no state: make one, and share it. */
export interface Kelpie extends ReturnType<typeof createResources> {}

/** The key stays in these closures: whoever prints or logs the client does not see it. Without options, the environment has them. */
export function createKelpie(options: KelpieOptions = {}): Kelpie {
  return createResources(createCalls(connect(options)));
}
