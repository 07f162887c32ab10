import { createHash } from 'node:crypto';
import type { Transaction } from './database.ts';
import { ApiError } from './http/api-error.ts';
import type { Answer } from './http/route.ts';

const replayedForMs = 24 * 3_600_000;

export interface KeyedRequest {
  key: string;
  /** Two requests are the same where these are. */
  fingerprint: string;
  at: Date;
}

export interface SentAnswer {
  status: number;
  text: string;
  replayed: boolean;
}

export function fingerprintOf(deps: { method: string; url: string; body: unknown }): string {
  return createHash('sha256')
    .update(JSON.stringify([deps.method, deps.url, deps.body ?? {}]))
    .digest('hex');
}

export function inWords({ status, body }: Answer): SentAnswer {
  return { status, text: JSON.stringify(body), replayed: false };
}

/**
 * Does the work once for a key, and keeps the answer in the same transaction. A second request with the key waits in
 * the insert until the first has committed, and then finds its answer.
 */
export async function answerOnce(
  tx: Transaction,
  request: KeyedRequest,
  work: () => Promise<Answer>,
): Promise<SentAnswer> {
  const { rows } = await tx.query(
    `insert into idempotency_keys (key, fingerprint, created_at) values ($1, $2, $3)
     on conflict (key) do nothing returning key`,
    [request.key, request.fingerprint, request.at],
  );
  if (rows.length === 0) return replay(tx, request);
  return performOrRefuse(tx, request.key, work);
}

/** A refusal is an answer too, and is kept; what was written on the way to it is not. */
async function performOrRefuse(tx: Transaction, key: string, work: () => Promise<Answer>): Promise<SentAnswer> {
  await tx.query('savepoint work');
  try {
    const answer = await work();
    const kept = await keep(tx, key, answer);
    await answer.lastly?.();
    return kept;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await tx.query('rollback to savepoint work');
    return keep(tx, key, error);
  }
}

async function keep(tx: Transaction, key: string, answer: Answer): Promise<SentAnswer> {
  const sent = inWords(answer);
  await tx.query('update idempotency_keys set status = $2, body = $3 where key = $1', [key, sent.status, sent.text]);
  return sent;
}

async function replay(tx: Transaction, { key, fingerprint, at }: KeyedRequest): Promise<SentAnswer> {
  const { rows } = await tx.query<{ fingerprint: string; status: number; body: string; created_at: Date }>(
    'select fingerprint, status, body, created_at from idempotency_keys where key = $1',
    [key],
  );
  const [kept] = rows;
  if (kept === undefined) throw new Error('a key that was taken is gone');
  const source = { location: 'header', key: 'Idempotency-Key' } as const;
  if (at.getTime() - kept.created_at.getTime() >= replayedForMs) {
    throw new ApiError({
      code: 'idempotency_key_expired',
      message: 'This key was used more than 24 hours ago.',
      source,
    });
  }
  if (kept.fingerprint !== fingerprint) {
    throw new ApiError({
      code: 'idempotency_key_reused',
      message: 'This key was used for another request.',
      source,
    });
  }
  return { status: kept.status, text: kept.body, replayed: true };
}
