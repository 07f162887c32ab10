/** What a caller can be told, each with its one status. */
const statusOf = {
  duplicate_external_account: 400,
  duplicate_record: 400,
  endorsement_required: 400,
  external_account_inactive: 400,
  external_account_rejected: 400,
  idempotency_key_expired: 422,
  idempotency_key_reused: 422,
  insufficient_funds: 400,
  internal_error: 500,
  invalid_parameters: 400,
  invalid_state: 400,
  not_found: 404,
  unauthorized: 401,
} as const;

type ApiErrorCode = keyof typeof statusOf;

interface ApiErrorOptions {
  code: ApiErrorCode;
  message: string;
  /** The field that is wrong, in dots: destination.amount. */
  source?: { location: 'body' | 'query' | 'header'; key: string };
  /** For duplicate_external_account: the one that is there already. */
  id?: string;
  /** For duplicate_record: likewise. */
  existing_kyc_link?: object;
}

/** The one error that a caller is meant to see. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ApiErrorOptions;

  constructor(options: ApiErrorOptions) {
    super(options.message);
    this.status = statusOf[options.code];
    this.body = options;
  }
}

export function notFound(what: string): ApiError {
  return new ApiError({ code: 'not_found', message: `No such ${what}.` });
}
