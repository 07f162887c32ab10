/** What a caller can be told. The HTTP status of each code stands in one table, in http/errors.ts. */
export type RefusalCode =
  | 'headers_too_large'
  | 'internal_error'
  | 'invalid_json'
  | 'invalid_request'
  | 'malformed_request'
  | 'method_not_allowed'
  | 'not_found'
  | 'payload_too_large'
  | 'request_timeout'
  | 'unavailable'
  | 'unsupported_media_type';

interface RefusalParts {
  code: RefusalCode;
  /** For the caller: what is wrong and what to do. Never a secret, a name or a bank detail. */
  message: string;
  details?: unknown;
  /** For the log, where the cause is not the caller's business. The same rule holds. */
  internal?: string;
}

/** The one error that a caller is meant to see. Everything else that is thrown is our fault, and answers 500. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: unknown;
  readonly internal: string | undefined;

  constructor(parts: RefusalParts) {
    super(parts.message);
    this.code = parts.code;
    this.details = parts.details;
    this.internal = parts.internal;
  }
}
