import type { ApiErrorCode } from '../../platform/api-error.ts';
import { exampleValues } from '../schema/example-values.ts';
import { patterns } from '../schema/patterns.ts';
import type { ErrorDetailsName } from './error-details.ts';

interface ErrorCode {
  /** One HTTP status for each code. */
  status: number;
  /** What happened, and what to do about it: for the API reference and docs/partners/errors.md. */
  cause: string;
  remedy: string;
  /** What `details` holds; absent where there are none. */
  details?: ErrorDetailsName;
  /** An answer as the reference shows it. */
  example: { message: string; details?: object };
}

const exampleRequest = {
  id: exampleValues.payoutRequestId,
  status: 'open',
  reasons: ['amount'],
  expires_at: '2026-11-19T09:30:00.000Z',
};

/** Every code that the API can answer with. docs/partners/errors.md shows the same table; a test keeps the two equal. */
export const errorCodes: Readonly<Record<ApiErrorCode, ErrorCode>> = {
  idempotency_key_required: {
    status: 400,
    cause: 'The `Idempotency-Key` header is missing or malformed. `details.pattern` shows the accepted format.',
    remedy:
      'Send your own id for the payout: 8 to 100 letters, digits, `_`, `-`, `:` or `.`. Use the same key for every retry.',
    details: 'IdempotencyKeyDetails',
    example: {
      message: 'The Idempotency-Key header is required. Send your own id for the payout, the same for every retry.',
      details: { pattern: patterns.idempotencyKey },
    },
  },
  invalid_json: {
    status: 400,
    cause: 'The body is not a JSON object in UTF-8, or it names a field twice.',
    remedy: 'Send one JSON object. Nothing was changed.',
    example: { message: 'The body is not a JSON object: it is not valid JSON.' },
  },
  malformed_request: {
    status: 400,
    cause: 'The request is not valid HTTP/1.1.',
    remedy: 'Check any proxy between your code and Kelpie. HTTP libraries do not send such requests.',
    example: { message: 'The request is not valid HTTP/1.1.' },
  },
  invalid_code: {
    status: 401,
    cause:
      "The sign-in code is wrong, expired or already used, or there were too many attempts. We don't say which, or whether the email address is known. For a link from an email: it is invalid or older than 7 days.",
    remedy:
      'Request a new code in the same browser. Only the newest code works, once, for 10 minutes. There are 10 wrong attempts per day for each browser that the address has signed in from before, and 10 for all others together.',
    example: {
      message: 'That code is wrong or has expired. Request a new one in this browser. Only the newest code works.',
    },
  },
  unauthorized: {
    status: 401,
    cause:
      'The API key is missing, unknown, expired or revoked, or does not work from your IP address, or the dashboard session has ended.',
    remedy:
      'Send a valid key in the header `Authorization: Bearer kp_…`, from a network that the key allows. In the dashboard, sign in again.',
    example: { message: 'A valid API key is required in the header Authorization: Bearer kp_….' },
  },
  insufficient_funds: {
    status: 402,
    cause: 'The wallet holds less than the payout needs. `details.shortfall_usdc` is the missing amount.',
    remedy: 'Top up the wallet, then retry with the same Idempotency-Key.',
    details: 'InsufficientFundsDetails',
    example: {
      message: 'This payout needs 1081.97 USDC and the wallet holds 1000.00 USDC. Top up the wallet and retry.',
      details: { available_usdc: '1000.00', required_usdc: '1081.97', shortfall_usdc: '81.97' },
    },
  },
  api_key_required: {
    status: 403,
    cause:
      'A viewer, an API key with scope `read`, or someone who is no longer an admin called an operation that changes something.',
    remedy: 'Ask an admin of the account, or use an API key with scope `pay` where the operation accepts one.',
    example: { message: 'Viewers and read-only API keys cannot change this account. Ask an admin.' },
  },
  cross_site_request: {
    status: 403,
    cause: 'A signed-in browser sent the request from another website.',
    remedy: 'Use the dashboard, or call the API with an API key.',
    example: { message: 'The request did not come from the dashboard. Nothing was changed.' },
  },
  partner_not_active: {
    status: 403,
    cause:
      'The account cannot pay: it is suspended, closed, paused or frozen, owes USDC for a reversed top-up, or is not verified for live payouts. A suspended or closed account cannot create keys or add members either.',
    remedy: 'Contact support; if the message names a debt, top up the wallet. Past payouts stay readable.',
    example: {
      message: `This account cannot create payouts now. Contact support at support@kelpie.example and quote Request-Id ${exampleValues.requestId}.`,
    },
  },
  sandbox_only: {
    status: 403,
    cause: 'The operation exists in sandbox only, and the API key or the `environment` is live. Nothing was changed.',
    remedy: 'Use a sandbox key. In the dashboard, switch to sandbox.',
    example: { message: 'This operation exists in sandbox only. Use a sandbox key.' },
  },
  second_admin_required: {
    status: 403,
    cause:
      'Another admin has to do this: you asked for it yourself, or created the API key that did, or the account has one admin only.',
    remedy: 'Ask another admin of the account, or add one.',
    example: {
      message: 'You asked for this payout, or created the API key that did. Another admin has to approve it.',
    },
  },
  session_required: {
    status: 403,
    cause: 'An API key called an operation that only dashboard users can call.',
    remedy: 'Sign in to the dashboard.',
    example: { message: 'API keys cannot do this. Sign in to the dashboard.' },
  },
  verification_required: {
    status: 403,
    cause: 'The request needs the live environment, and the business is not verified yet.',
    remedy: 'Start or continue verification. `GET /v1/compliance` shows its status.',
    example: {
      message: 'The live environment is available once your business is verified. Start verification under Compliance.',
    },
  },
  not_found: {
    status: 404,
    cause:
      "Nothing exists at this address, or your account has no resource with this id. Other partners' resources return 404.",
    remedy: 'Check the path and the id, and that the key belongs to the right environment.',
    example: { message: 'No payout has this id.' },
  },
  method_not_allowed: {
    status: 405,
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the `Allow` header lists.',
    example: { message: 'PUT is not allowed here. Allowed methods: GET, HEAD.' },
  },
  request_timeout: {
    status: 408,
    cause: 'The request did not arrive completely within 15 seconds.',
    remedy: 'Retry. For a payout, use the same Idempotency-Key.',
    example: { message: 'The request did not arrive in time. Retry.' },
  },
  idempotency_key_in_use: {
    status: 409,
    cause:
      'Another request with this Idempotency-Key is still being processed, or an earlier attempt may have been paid and Kelpie is checking it.',
    remedy: 'Retry after `Retry-After` seconds with the same key. You then get the result of the first request.',
    example: { message: 'Another request with this Idempotency-Key is still being processed. Retry in a second.' },
  },
  key_limit_reached: {
    status: 409,
    cause: 'The environment already has 5 active keys.',
    remedy: 'Revoke an unused key, then retry.',
    example: { message: 'This environment already has 5 active keys. Revoke one first.' },
  },
  passkey_required: {
    status: 409,
    cause:
      'The account requires a passkey of every member. Someone has none, this is the last one of this person, or the time to add a first one is over.',
    remedy: 'Add a passkey first. If you have lost yours, or were invited more than 72 hours ago, contact support.',
    example: { message: 'Every member needs a passkey first: 2 have none.' },
  },
  last_admin: {
    status: 409,
    cause: "The account's only admin can neither be removed nor become a viewer.",
    remedy: 'Make another member an admin first.',
    example: { message: 'This is the only admin of the account. Make another member an admin first.' },
  },
  payout_not_cancellable: {
    status: 409,
    cause: 'The payout is final, already on its way, or not yet confirmed by the bank.',
    remedy: 'Retrieve the payout to see its status. A payout on its way cannot be cancelled.',
    example: { message: 'This payout cannot be cancelled: it is already on its way.' },
  },
  payout_request_closed: {
    status: 409,
    cause:
      'The payout with this Idempotency-Key was declined, or no admin approved it in time. When deciding: the request was decided already. `details.payout_request` says which.',
    remedy: 'To ask again, create the payout with a new Idempotency-Key.',
    details: 'PayoutRequestDetails',
    example: {
      message: 'This payout was declined. Nothing was sent. To ask again, create it with a new Idempotency-Key.',
      details: {
        payout_request: { ...exampleRequest, status: 'declined' },
      },
    },
  },
  payout_request_void: {
    status: 409,
    cause:
      'The payout request can no longer be approved: the API key that asked can no longer pay, the person who asked is no longer an admin, or the request is not as it was asked for.',
    remedy: 'Decline it, and create the payout with a new Idempotency-Key.',
    example: {
      message:
        'The API key that asked for this payout can no longer pay. Nothing was sent. Decline this request, and create the payout with a new Idempotency-Key.',
    },
  },
  sandbox_control_unavailable: {
    status: 409,
    cause:
      "The bank behind this sandbox cannot be driven: it is the provider's own sandbox, or the account or the payout has none yet. The message says which.",
    remedy:
      "A new account has its bank within a minute. On a provider's own sandbox, use an account number that ends in `0000`, or `POST /v1/sandbox/bank`.",
    example: { message: "The bank behind this sandbox is the provider's own sandbox. It cannot be driven." },
  },
  sandbox_step_refused: {
    status: 409,
    cause: 'The payout has a status from which this step cannot be made. The message says which steps can.',
    remedy: 'Retrieve the payout to see its status, and use a step that fits it.',
    example: { message: 'A completed payout cannot fail. Use return.' },
  },
  session_changed: {
    status: 409,
    cause:
      'The `Kelpie-Account` header does not match the account of the session. The user switched accounts in another tab. Nothing was changed.',
    remedy: 'Reload the page to see the current account.',
    example: { message: 'You switched accounts in another tab. Nothing was changed. Reload the page.' },
  },
  slug_taken: {
    status: 409,
    cause: 'Another business uses this short name (`slug`), or it is reserved.',
    remedy: 'Choose another one.',
    example: { message: 'Another business uses this short name. Choose another.' },
  },
  webhook_limit_reached: {
    status: 409,
    cause: 'The environment already has 10 webhooks.',
    remedy: 'Delete an unused webhook, then retry.',
    example: { message: 'This environment already has 10 webhooks. Delete one first.' },
  },
  payload_too_large: {
    status: 413,
    cause: 'The body is larger than 64 KB.',
    remedy: 'Send a smaller body.',
    example: { message: 'The body is larger than 64 KB.' },
  },
  unsupported_media_type: {
    status: 415,
    cause: 'The body is not declared as JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
    example: { message: 'Send a JSON body with the header Content-Type: application/json.' },
  },
  approval_required: {
    status: 422,
    cause:
      'A rule of the account asks another admin to approve this payout. We emailed those who can. `details.payout_request` says which rules, and until when. Nothing was sent, and no money is held.',
    remedy:
      'Retry with the same Idempotency-Key and body once it was approved: you get the payout. Listen to `payout_request.approved` and `payout_request.declined` to learn when.',
    details: 'PayoutRequestDetails',
    example: {
      message: 'Another admin has to approve this payout. Nothing was sent yet. Retry with the same Idempotency-Key.',
      details: { payout_request: exampleRequest },
    },
  },
  confirmation_required: {
    status: 422,
    cause:
      'A dashboard user must confirm this live payout or change. We emailed them a 6-digit code, valid until `details.good_until`. A member with a passkey proves it with that (`details.passkey`): a change with the passkey alone, a payout with both. Nothing was sent or changed.',
    remedy:
      'Repeat the same request with the code as `confirm_code`, a payout with the same Idempotency-Key. A request without the code sends a new one and invalidates the first. Limit: 5 codes per person per hour.',
    details: 'ConfirmationDetails',
    example: {
      message: 'We emailed you a code. Repeat the request with the code as confirm_code. Nothing was sent yet.',
      details: { good_until: '2026-11-16T09:35:00.000Z' },
    },
  },
  invalid_passkey: {
    status: 422,
    cause:
      "The passkey was not accepted: it is not one of this person's, was signed for another page or another challenge, or the challenge has expired or was used. Nothing was changed.",
    remedy: 'Start again. A challenge is valid once, for 5 minutes and in one session.',
    example: {
      message: 'This passkey was not accepted. Nothing was changed. Start again, and use a passkey of this account.',
    },
  },
  corridor_not_enabled: {
    status: 422,
    cause: 'The account cannot pay recipients in this country.',
    remedy: 'Omit `country`, or send `GB`.',
    details: 'InvalidFieldsDetails',
    example: {
      message: 'Payouts go to the UK only. Send GB as country, or omit it.',
      details: { fields: [{ path: 'country', rule: 'must be GB' }] },
    },
  },
  idempotency_key_reused: {
    status: 422,
    cause:
      'The Idempotency-Key was already used with a different body. `details.mismatched` lists the fields that differ.',
    remedy: 'Use a new key for a new payout, or send the original body.',
    details: 'IdempotencyKeyReusedDetails',
    example: {
      message: 'This Idempotency-Key was already used with a different body. Use a new key for a new payout.',
      details: { payout_id: exampleValues.payoutId, mismatched: ['amount_gbp'] },
    },
  },
  invalid_amount: {
    status: 422,
    cause:
      '`amount_gbp` is missing, is not a string such as "850.00", or is out of range. `details.fields` says which.',
    remedy: "Send a string with two decimals, within the account's `payout_limits_gbp`.",
    details: 'InvalidFieldsDetails',
    example: {
      message: 'amount_gbp must be a string with two decimals, for example "850.00".',
      details: { fields: [{ path: 'amount_gbp', rule: 'must be a string with two decimals, for example "850.00"' }] },
    },
  },
  invalid_confirm_code: {
    status: 422,
    cause:
      'The code does not confirm this payout or change. It is wrong, expired or already used, or it belongs to another request or session. Nothing was sent or changed.',
    remedy: 'Repeat the request without `confirm_code` to get a new code. A code works for 5 minutes and 5 attempts.',
    example: {
      message:
        'This code does not confirm this payout. Nothing was sent. Repeat the request without confirm_code to get a new code.',
    },
  },
  invalid_recipient: {
    status: 422,
    cause:
      'Recipient details are missing or invalid. `details.fields` lists every problem, and `details.missing` the fields to send.',
    remedy: 'Fix the listed fields. Nothing was sent.',
    details: 'InvalidRecipientDetails',
    example: {
      message: 'The recipient details are incomplete or invalid. See details.fields.',
      details: {
        fields: [{ path: 'recipient.bank.sort_code', rule: 'must be 6 digits' }],
        missing: ['recipient.bank.sort_code (6 digits)'],
      },
    },
  },
  invalid_request: {
    status: 422,
    cause: 'A field, header or query parameter is invalid. `details.fields` lists every problem.',
    remedy: 'Fix the listed fields.',
    details: 'InvalidFieldsDetails',
    example: {
      message: 'The request is invalid. See details.fields.',
      details: { fields: [{ path: 'limit', rule: 'must be an integer from 1 to 200' }] },
    },
  },
  limit_exceeded: {
    status: 422,
    cause:
      'The payout exceeds a daily limit: of the account, of the API key, or for a new payee. `details.left_gbp` is the largest amount that still fits today. Nothing was sent.',
    remedy:
      'Pay less, or retry with the same Idempotency-Key after `details.resets_at`. `GET /v1/limits` shows the limits. An admin can change them.',
    details: 'LimitExceededDetails',
    example: {
      message:
        "This account's daily limit is 50000.00 GBP, and 1250.00 GBP is left until 00:00 London time. Nothing was sent.",
      details: { limit: 'daily', limit_gbp: '50000.00', left_gbp: '1250.00', resets_at: '2026-11-17T00:00:00.000Z' },
    },
  },
  proof_of_work_required: {
    status: 422,
    cause:
      'Many accounts were created within the last hour, so we ask for a proof of work before we email one more address. Nothing was sent.',
    remedy:
      'Find a nonce for which the SHA-256 digest of `<challenge>:<nonce>` begins with `details.bits` zero bits. Repeat the request with `proof_of_work`, before `details.good_until`. The dashboard does this by itself.',
    details: 'ProofOfWorkDetails',
    example: {
      message: 'Many accounts are being created. Solve the challenge in details, then repeat the request with it.',
      details: {
        challenge: '1795080900000.3q2-7wKxYh0bV4nJcG5tUu8sPzRfLmAaQeTdHiOyXkE',
        bits: 18,
        good_until: '2026-11-19T09:35:00.000Z',
      },
    },
  },
  recipient_account_rejected: {
    status: 422,
    cause: "The bank rejected the recipient's account details. Nothing was sent.",
    remedy: 'Ask the recipient for the correct details. You can reuse the Idempotency-Key.',
    example: { message: "The bank rejected the recipient's account details. Nothing was sent. Check them and retry." },
  },
  rate_limited: {
    status: 429,
    cause: 'Too many requests. The `RateLimit-*` headers state the limit.',
    remedy: 'Retry after `Retry-After` seconds. Nothing was changed. For a payout, use the same Idempotency-Key.',
    example: { message: 'Too many requests. Retry after the number of seconds in Retry-After.' },
  },
  headers_too_large: {
    status: 431,
    cause: 'The headers are larger than 16 KB.',
    remedy: 'Send fewer or shorter headers.',
    example: { message: 'The headers are larger than 16 KB.' },
  },
  internal_error: {
    status: 500,
    cause: 'Something went wrong on our side.',
    remedy: 'Retry. For a payout, use the same Idempotency-Key. If it persists, contact support with the Request-Id.',
    example: {
      message: `Something went wrong on our side. Contact support at support@kelpie.example and quote Request-Id ${exampleValues.requestId}.`,
    },
  },
  balance_unavailable: {
    status: 502,
    cause: 'The bank has provided no exchange rate for 15 minutes, so we cannot show the balance in pounds.',
    remedy: 'Retry in a minute.',
    example: { message: 'We have no current exchange rate from the bank. Retry in a minute.' },
  },
  payout_not_created: {
    status: 502,
    cause:
      'The payout was not created. `details.reason` says why: `bank_unreachable`, `bank_refused`, `rate_stale`, `payments_paused` or `recovery`. Nothing was sent, and the wallet is unchanged.',
    remedy: 'Retry with the same Idempotency-Key.',
    details: 'NotCreatedDetails',
    example: {
      message: 'The bank is unavailable. Nothing was sent. Retry with the same Idempotency-Key.',
      details: { reason: 'bank_unreachable' },
    },
  },
  rate_unavailable: {
    status: 502,
    cause: 'The bank has provided no exchange rate for 15 minutes.',
    remedy: 'Retry in a minute.',
    example: { message: 'We have no current exchange rate from the bank. Retry in a minute.' },
  },
  unavailable: {
    status: 503,
    cause:
      'Kelpie is overloaded, cannot save changes for a moment, or did not finish within 10 seconds (reads: 2 seconds).',
    remedy:
      'Retry after `Retry-After` seconds. For a payout, use the same Idempotency-Key: the first request may have taken effect.',
    example: {
      message:
        'Kelpie is overloaded. Retry after the number of seconds in Retry-After. For a payout, use the same Idempotency-Key.',
    },
  },
};
