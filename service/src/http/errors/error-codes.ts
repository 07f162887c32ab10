import type { ApiErrorCode } from '../../platform/api-error.ts';

interface ErrorCode {
  /** One HTTP status for each code. */
  status: number;
  /** What has happened, and what to do about it: for the description of the API and docs/errors.md. */
  cause: string;
  remedy: string;
}

/** Every code that the API can answer with. docs/errors.md shows the same table; a test keeps the two equal. */
export const errorCodes: Readonly<Record<ApiErrorCode, ErrorCode>> = {
  idempotency_key_required: {
    status: 400,
    cause: 'The Idempotency-Key header is missing, or has not the form that `details.pattern` shows.',
    remedy: 'Send your own id of this payout, 8 to 100 letters, digits and `_-:.`; the same whenever you try it again.',
  },
  invalid_json: {
    status: 400,
    cause: 'The body could not be read: it is not UTF-8, not JSON, not an object, or names a field twice.',
    remedy: 'Send one JSON object. Nothing was done.',
  },
  malformed_request: {
    status: 400,
    cause: 'The request itself is not HTTP/1.1 that we can read.',
    remedy: 'Look at what stands between your code and us: a client library does not send this.',
  },
  invalid_code: {
    status: 401,
    cause:
      'The code is wrong, over or used, or too many were tried: which of them is not told, nor whether the address is known.',
    remedy: 'Ask for a new code. Only the newest is good, once, for 10 minutes; 10 wrong ones a day are looked at.',
  },
  unauthorized: {
    status: 401,
    cause: 'The API key is missing, unknown or revoked; or whoever was signed in is not any more.',
    remedy: 'Send a key that works, in the header `Authorization: Bearer kp_…`. A person signs in again.',
  },
  insufficient_funds: {
    status: 402,
    cause: 'The wallet holds less than the payout takes. `details.shortfall_usdc` says how much is missing.',
    remedy: 'Top up the wallet, then try again with the same Idempotency-Key.',
  },
  api_key_required: {
    status: 403,
    cause: 'You are signed in as a viewer, and this changes something.',
    remedy: 'Ask an admin of the account, or use an API key where one serves.',
  },
  cross_site_request: {
    status: 403,
    cause: 'A browser that is signed in asked from a page of another site.',
    remedy: 'Use the dashboard itself. Programs use an API key.',
  },
  partner_not_active: {
    status: 403,
    cause: 'The account may not pay: it is suspended or closed, or not yet verified for live.',
    remedy: 'Write to us. What was paid before can still be read.',
  },
  session_required: {
    status: 403,
    cause: 'An API key asked for what only a person can do.',
    remedy: 'Sign in to the dashboard.',
  },
  verification_required: {
    status: 403,
    cause: 'Live was asked for before the business is verified.',
    remedy: 'Start the verification, or finish it: `GET /v1/compliance` says where it stands.',
  },
  not_found: {
    status: 404,
    cause:
      "There is nothing at this address, or nothing with this id that is yours: another partner's is as good as none.",
    remedy: 'Check the address and the id, and that the key is of the right environment.',
  },
  method_not_allowed: {
    status: 405,
    cause: 'The address is right, the method is not.',
    remedy: 'The `Allow` header says which methods it takes.',
  },
  request_timeout: {
    status: 408,
    cause: 'The request did not arrive whole within 15 seconds.',
    remedy: 'Send it again; a payout with the same Idempotency-Key.',
  },
  idempotency_key_in_use: {
    status: 409,
    cause: 'A payout with this Idempotency-Key is being made just now, and is not decided yet.',
    remedy: 'Try again after `Retry-After` seconds with the same key: you get what became of it.',
  },
  key_limit_reached: {
    status: 409,
    cause: 'There are 5 working keys in this environment already.',
    remedy: 'Revoke one that is not used any more, then try again.',
  },
  last_admin: {
    status: 409,
    cause: 'The only admin of the account can neither go nor become a viewer.',
    remedy: 'Make somebody else an admin first.',
  },
  payout_not_cancellable: {
    status: 409,
    cause: 'The payout is at its end, on its way, or not yet known to the bank.',
    remedy: 'Read the payout: its status says which. One that is on its way can not be stopped.',
  },
  session_changed: {
    status: 409,
    cause:
      'The header Kelpie-Account names another account than the one that the browser is signed in to: it was changed in another tab. Nothing was done.',
    remedy: 'Load the page again. It shows the account that the browser is signed in to now.',
  },
  slug_taken: {
    status: 409,
    cause: 'Another business has this short name.',
    remedy: 'Sign up with another one.',
  },
  payload_too_large: {
    status: 413,
    cause: 'The body is larger than 64 KB.',
    remedy: 'Nothing that this API takes needs more: look at what you are sending.',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'The body is not declared as JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  confirmation_required: {
    status: 422,
    cause:
      'A person pays with real money, and has not confirmed it yet. A code was mailed to them; `details.good_until` says until when it is good. Nothing was sent.',
    remedy:
      'Send the same request again, with the same Idempotency-Key and the code as `confirm_code`. Without it, another code is mailed, and the first is worth nothing.',
  },
  corridor_not_enabled: {
    status: 422,
    cause: 'The country is not one that the account can pay to.',
    remedy: 'Leave `country` out, or send `GB`.',
  },
  idempotency_key_reused: {
    status: 422,
    cause: 'The Idempotency-Key stands for another body. `details.mismatched` says in which fields they differ.',
    remedy: 'Use a new key for a new payout, or send the first body again.',
  },
  invalid_amount: {
    status: 422,
    cause: 'The amount is missing, is no text like "850.00", or is out of range. `details.fields` says which.',
    remedy: 'Send pounds and pence as a text, within the limits that `GET /v1/compliance` shows.',
  },
  invalid_confirm_code: {
    status: 422,
    cause:
      'The code does not confirm this payout: it is wrong, was used, is older than 5 minutes or was tried 5 times, or it was for another order, Idempotency-Key, session or person. Nothing was sent.',
    remedy: 'Send the same request without `confirm_code`: a new code is mailed.',
  },
  invalid_recipient: {
    status: 422,
    cause:
      'Something about the recipient is missing or wrong: `details.fields` names all of it, `details.missing` what is not there.',
    remedy: 'Mend the fields that are named. Nothing was sent.',
  },
  invalid_request: {
    status: 422,
    cause: 'The request was read, and something else in it is wrong. `details.fields` names all of it.',
    remedy: 'Mend the fields that are named.',
  },
  recipient_account_rejected: {
    status: 422,
    cause: "The bank does not accept the recipient's account details. Nothing was sent.",
    remedy: 'Ask the recipient for the right ones. The Idempotency-Key is free again.',
  },
  rate_limited: {
    status: 429,
    cause: 'More requests came than the limit allows. The `RateLimit-*` headers say what it is.',
    remedy: 'Wait for `Retry-After` seconds. Nothing was done; a payout keeps its Idempotency-Key.',
  },
  headers_too_large: {
    status: 431,
    cause: 'The headers are larger than 16 KB.',
    remedy: 'Send fewer of them: we need one cookie at most.',
  },
  internal_error: {
    status: 500,
    cause: 'Something went wrong on our side.',
    remedy: 'Try again; a payout with the same Idempotency-Key. If it stays, write to us with the Request-Id.',
  },
  balance_unavailable: {
    status: 502,
    cause: 'The bank has given no rate for 15 minutes, so the balance can not be shown in pounds.',
    remedy: 'Try again in a minute.',
  },
  payout_not_created: {
    status: 502,
    cause: 'The bank could not be asked. Nothing was sent, and the wallet is as before.',
    remedy: 'Try again with the same Idempotency-Key.',
  },
  rate_unavailable: {
    status: 502,
    cause: 'The bank has given no rate for 15 minutes.',
    remedy: 'Try again in a minute.',
  },
  unavailable: {
    status: 503,
    cause: 'We are too busy, or can not reach what we need just now.',
    remedy: 'Try again in a moment; a payout with the same Idempotency-Key.',
  },
};
