// The face of @kelpie/sdk. What is not named here is not promised to anybody.
export type { Listing } from './calls.ts';
export { createKelpie, type Kelpie } from './client.ts';
export type { ConfirmOptions } from './confirming.ts';
export type { Download } from './download.ts';
export {
  KelpieError,
  KelpieUnreachable,
  type ErrorCode,
  type ExceededLimit,
  type FieldProblem,
  type NotCreatedReason,
  type Shortfall,
  type UnreachableReason,
} from './errors.ts';
export type { LogEntry } from './log.ts';
export type { KelpieOptions } from './options.ts';
export type { Page } from './pages.ts';
export { parseKelpieError } from './attempt.ts';
export type { CallOptions } from './request.ts';
export { requestIdOf } from './request-id.ts';
// The types of a resource. What makes one is a default export, which this leaves out.
export type * from './resources/account.ts';
export type * from './resources/activity.ts';
export type * from './resources/approval-rules.ts';
export type * from './resources/auth.ts';
export type * from './resources/balance.ts';
export type * from './resources/compliance.ts';
export type * from './resources/deposits.ts';
export type * from './resources/discovery.ts';
export type * from './resources/events.ts';
export type * from './resources/funding.ts';
export type * from './resources/invoices.ts';
export type * from './resources/keys.ts';
export type * from './resources/limits.ts';
export type * from './resources/members.ts';
export type * from './resources/partners.ts';
export type * from './resources/passkeys.ts';
export type * from './resources/payout-requests.ts';
export type * from './resources/payouts.ts';
export type * from './resources/quotes.ts';
export type * from './resources/recipients.ts';
export type * from './resources/sandbox.ts';
export type * from './resources/security-events.ts';
export type * from './resources/signup.ts';
export type * from './resources/statements.ts';
export type * from './resources/usage.ts';
export type * from './resources/webhooks.ts';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRequest,
} from './verify-webhook.ts';
export { KelpieWebhookError, type WebhookErrorCode } from './webhook-error.ts';
export { KelpieWaitTimeout, type WaitedPayout, type WaitUntil } from './wait-for-payout.ts';
