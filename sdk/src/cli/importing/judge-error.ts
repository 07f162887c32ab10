import { KelpieError, KelpieUnreachable } from '../../index.ts';

/**
 * What a failed request means for a run. `again`: the same row, later. `refused`: this row never; the others go on. `stop`: no
 * row can go on now.
 */
export type Verdict =
  | { kind: 'again'; afterMs: number }
  | { kind: 'refused'; error: string }
  | { kind: 'stop'; code: string; why: string };

const firstRetryMs = 500;
const longestRetryMs = 15_000;

/** Each text is one line, so that a line of the result file is a result. */
function textOf({ code, message, fields }: KelpieError): string {
  const rules = fields.map(({ path, rule }) => `${path} ${rule}`);
  return [`${code}: ${message}`, ...rules].join(' ').replaceAll(/\s+/g, ' ');
}

/** The limit for a new payee is of one recipient: others can still be paid. */
function ofLimit(error: KelpieError): Verdict {
  if (error.exceededLimit?.limit === 'new_payee') return { kind: 'refused', error: textOf(error) };
  return { kind: 'stop', code: 'limit_exceeded', why: error.message };
}

function ofFunds({ shortfall, message }: KelpieError): Verdict {
  const lacking = `Funds have run out. The wallet lacks ${shortfall?.shortfallUsdc} USDC for this row.`;
  return { kind: 'stop', code: 'insufficient_funds', why: shortfall === undefined ? message : lacking };
}

export function judgeError(error: unknown, failures: number): Verdict {
  const backoffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 20));
  // The outcome is unknown, and the key makes it safe to ask again.
  if (error instanceof KelpieUnreachable) return { kind: 'again', afterMs: backoffMs };
  if (!(error instanceof KelpieError)) throw error;
  const { code, status, retryAfterSeconds = 0 } = error;
  if (code === 'insufficient_funds') return ofFunds(error);
  if (code === 'limit_exceeded') return ofLimit(error);
  if (status === 408 || status === 429 || status >= 500 || code === 'idempotency_key_in_use')
    return { kind: 'again', afterMs: Math.max(backoffMs, retryAfterSeconds * 1_000) };
  // It is final for this row's key alone.
  if (status === 422 || code === 'payout_request_closed') return { kind: 'refused', error: textOf(error) };
  // The key, the account or the address is wrong: so it is for every row.
  return { kind: 'stop', code, why: error.message };
}
