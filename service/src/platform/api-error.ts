/** What a caller can be told. The HTTP status of each code stands in one table, in http/errors/error-codes.ts. */
export type ApiErrorCode =
  | 'api_key_required'
  | 'approval_required'
  | 'balance_unavailable'
  | 'confirmation_required'
  | 'proof_of_work_required'
  | 'corridor_not_enabled'
  | 'cross_site_request'
  | 'headers_too_large'
  | 'idempotency_key_in_use'
  | 'idempotency_key_required'
  | 'idempotency_key_reused'
  | 'insufficient_funds'
  | 'internal_error'
  | 'invalid_amount'
  | 'invalid_code'
  | 'invalid_confirm_code'
  | 'invalid_json'
  | 'invalid_passkey'
  | 'invalid_recipient'
  | 'invalid_request'
  | 'key_limit_reached'
  | 'last_admin'
  | 'limit_exceeded'
  | 'malformed_request'
  | 'method_not_allowed'
  | 'not_found'
  | 'partner_not_active'
  | 'passkey_required'
  | 'payload_too_large'
  | 'payout_not_cancellable'
  | 'payout_not_created'
  | 'payout_request_closed'
  | 'payout_request_void'
  | 'rate_limited'
  | 'rate_unavailable'
  | 'recipient_account_rejected'
  | 'request_timeout'
  | 'sandbox_control_unavailable'
  | 'sandbox_only'
  | 'sandbox_step_refused'
  | 'second_admin_required'
  | 'session_changed'
  | 'session_required'
  | 'slug_taken'
  | 'unauthorized'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'verification_required'
  | 'webhook_limit_reached';

interface ApiErrorOptions {
  code: ApiErrorCode;
  /** For the caller: what is wrong and what to do. Never a secret, a name or a bank detail. */
  message: string;
  details?: unknown;
  /** For the log, where the cause is not the caller's business. The same rule holds. */
  internal?: string;
  /** Whether only we can help: the answer then ends with the support address and the Request-Id to quote. */
  contactSupport?: boolean;
  /** When it is worth asking again. */
  retryAfterSeconds?: number;
  /** Whether the commit that it follows from has written it down as what was answered. */
  isRecorded?: boolean;
  /** What it was thrown for, for a person who runs Kelpie. A caller never sees it. */
  cause?: unknown;
}

/** The one error that a caller is meant to see. Everything else that is thrown is our fault, and answers 500. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly details: unknown;
  readonly internal: string | undefined;
  readonly contactSupport: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly isRecorded: boolean;

  constructor(options: ApiErrorOptions) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.details = options.details;
    this.internal = options.internal;
    this.contactSupport = options.contactSupport ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isRecorded = options.isRecorded ?? false;
  }
}

/** One text for a missing, unknown and revoked key: a guesser must not learn which it was. */
export const unauthorized = {
  code: 'unauthorized',
  message: 'A valid API key is required in the header Authorization: Bearer kp_….',
} as const;

/** The same for a dashboard session. */
export const sessionEnded = { code: 'unauthorized', message: 'Your session has ended. Sign in again.' } as const;
