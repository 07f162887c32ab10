// The two ways in which a call fails: Kelpie said no, or nobody knows what Kelpie did.
import { listOf, textOf } from './json.ts';

/** Every code that this version knows. A later API may say others. */
export const errorCodes = [
  'api_key_required',
  'balance_unavailable',
  'confirmation_required',
  'corridor_not_enabled',
  'cross_site_request',
  'headers_too_large',
  'idempotency_key_in_use',
  'idempotency_key_required',
  'idempotency_key_reused',
  'insufficient_funds',
  'internal_error',
  'invalid_amount',
  'invalid_code',
  'invalid_confirm_code',
  'invalid_json',
  'invalid_recipient',
  'invalid_request',
  'key_limit_reached',
  'last_admin',
  'limit_exceeded',
  'malformed_request',
  'method_not_allowed',
  'not_found',
  'partner_not_active',
  'payload_too_large',
  'payout_not_cancellable',
  'payout_not_created',
  'rate_limited',
  'rate_unavailable',
  'recipient_account_rejected',
  'request_timeout',
  'sandbox_control_unavailable',
  'sandbox_only',
  'sandbox_step_refused',
  'session_changed',
  'session_required',
  'slug_taken',
  'unauthorized',
  'unavailable',
  'unsupported_media_type',
  'verification_required',
  'webhook_limit_reached',
] as const;

export type KnownErrorCode = (typeof errorCodes)[number];

/** The known codes, which an editor offers, and any other text. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** One thing that is wrong with a request: where, and the rule that it breaks. */
export interface FieldProblem {
  path: string;
  rule: string;
}

/** What the wallet lacks for a payout, in USDC. */
export interface Shortfall {
  availableUsdc: string;
  requiredUsdc: string;
  shortfallUsdc: string;
}

/** The limits that a payout can pass: the account's, the API key's, and that of a recipient never paid before. */
const limitKinds = ['daily', 'key', 'new_payee'] as const;

/** A limit that a payout would have passed. */
export interface ExceededLimit {
  limit: (typeof limitKinds)[number];
  limitGbp: string;
  /** What can still be paid before it resets. */
  leftGbp: string;
  resetsAt: string;
}

/** Why a payout was not created. */
const notCreatedReasons = ['bank_unreachable', 'bank_refused', 'rate_stale', 'payments_paused', 'recovery'] as const;

export type NotCreatedReason = (typeof notCreatedReasons)[number];

export interface KelpieErrorInit {
  code: ErrorCode;
  message: string;
  status: number;
  details?: unknown;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Kelpie answered, and said no. Write your code against `code`; `message` is for people and may be reworded. */
export class KelpieError extends Error {
  override readonly name = 'KelpieError';
  readonly code: ErrorCode;
  /** The HTTP status: each code has one. */
  readonly status: number;
  /** More about this error, where there is more to say; `fields`, `missing`, `shortfall`, `exceededLimit` and `notCreatedReason` read it. */
  readonly details: unknown;
  /** Quote it when you write to us. */
  readonly requestId: string | undefined;
  /** When it is worth asking again, where Kelpie knows. */
  readonly retryAfterSeconds: number | undefined;

  constructor(init: KelpieErrorInit) {
    super(init.message);
    this.code = init.code;
    this.status = init.status;
    this.details = init.details;
    this.requestId = init.requestId;
    this.retryAfterSeconds = init.retryAfterSeconds;
  }

  /** Everything that is wrong with the request, at once; empty where that is not what is wrong. */
  get fields(): FieldProblem[] {
    return listOf(this.details, 'fields').map((field) => ({
      path: textOf(field, 'path') ?? '',
      rule: textOf(field, 'rule') ?? '',
    }));
  }

  /** For `invalid_recipient`: each missing or malformed field with its rule, as "recipient.bank.sort_code (6 digits)". */
  get missing(): string[] {
    return listOf(this.details, 'missing').map(String);
  }

  /** For `payout_not_created`: why. Nothing was sent in any case. */
  get notCreatedReason(): NotCreatedReason | undefined {
    const reason = this.code === 'payout_not_created' ? textOf(this.details, 'reason') : undefined;
    return notCreatedReasons.find((known) => known === reason);
  }

  /** For `limit_exceeded`: which limit, what is left of it, and when it resets. */
  get exceededLimit(): ExceededLimit | undefined {
    const named = textOf(this.details, 'limit');
    const limit = limitKinds.find((kind) => kind === named);
    const limitGbp = textOf(this.details, 'limit_gbp');
    const leftGbp = textOf(this.details, 'left_gbp');
    const resetsAt = textOf(this.details, 'resets_at');
    if (limit === undefined || limitGbp === undefined || leftGbp === undefined || resetsAt === undefined)
      return undefined;
    return { limit, limitGbp, leftGbp, resetsAt };
  }

  /** For `insufficient_funds`: what a top-up has to cover. */
  get shortfall(): Shortfall | undefined {
    const availableUsdc = textOf(this.details, 'available_usdc');
    const requiredUsdc = textOf(this.details, 'required_usdc');
    const shortfallUsdc = textOf(this.details, 'shortfall_usdc');
    if (availableUsdc === undefined || requiredUsdc === undefined || shortfallUsdc === undefined) return undefined;
    return { availableUsdc, requiredUsdc, shortfallUsdc };
  }
}

/**
 * `network`: no connection, or one that broke. `timeout`: no whole answer in time. `aborted`: your signal ended the call.
 * `unreadable`: what answered was not Kelpie, but a proxy on the way, say.
 */
export type UnreachableReason = 'network' | 'timeout' | 'aborted' | 'unreadable';

export interface KelpieUnreachableInit {
  reason: UnreachableReason;
  /** The HTTP status, where something answered. */
  status?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

const whatHappened: Readonly<Record<UnreachableReason, string>> = {
  network: 'Kelpie did not respond.',
  timeout: 'Kelpie did not respond in time.',
  aborted: 'The call was aborted by its signal before Kelpie responded.',
  unreadable: 'The response could not be read, so it was not from Kelpie.',
};

function whatToDo(idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined)
    return 'The outcome is unknown. Reads are safe to repeat. Check the result before you repeat a change.';
  return (
    'The outcome is unknown: the payout may exist. ' +
    'Repeat it with the same Idempotency-Key and the same body. The recipient is never paid twice.'
  );
}

/** The outcome is unknown. Repeat a payout with the same Idempotency-Key, never with a new one. */
export class KelpieUnreachable extends Error {
  override readonly name = 'KelpieUnreachable';
  readonly reason: UnreachableReason;
  readonly status: number | undefined;
  /** Repeat the payout with it; undefined for other calls. */
  readonly idempotencyKey: string | undefined;

  constructor({ reason, status, idempotencyKey, cause }: KelpieUnreachableInit) {
    super(`${whatHappened[reason]} ${whatToDo(idempotencyKey)}`, cause === undefined ? {} : { cause });
    this.reason = reason;
    this.status = status;
    this.idempotencyKey = idempotencyKey;
  }
}
