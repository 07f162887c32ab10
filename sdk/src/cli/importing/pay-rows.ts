// Pays rows, several at a time, each under its own key. Whatever ends a run, the next one goes on behind it.
import type { Kelpie } from '../../index.ts';
import { pause } from '../interruption.ts';
import { judgeError, type Verdict } from './judge-error.ts';
import type { Pace } from './pace.ts';
import type { PayoutRow } from './read-rows.ts';
import type { RowResult } from './results-file.ts';

interface Paid {
  result: RowResult;
  /** Whether an earlier run had created it. */
  replayed: boolean;
}

/** Why a run ended before its last row. */
export interface Stop {
  code: string;
  why: string;
  /** The line at which it ended. */
  line: number;
}

interface Paying {
  kelpie: { payouts: Pick<Kelpie['payouts'], 'create'> };
  pace: Pace;
  /** How many requests at the same time. */
  atOnce: number;
  onDone: (paid: Paid) => void;
}

/** A row that fails for so long by what should pass ends the run: the next run asks again. */
const patienceMs = 120_000;

const unavailable = 'Kelpie did not answer, or asked to retry, for two minutes.';

function resultOf(
  { line, key, fingerprint }: PayoutRow,
  found: Pick<RowResult, 'payoutId' | 'status' | 'error'>,
): RowResult {
  return { row: line, key, fingerprint, ...found };
}

export function notSent(row: PayoutRow, error: string): RowResult {
  return resultOf(row, { payoutId: '', status: 'not_sent', error });
}

type Outcome = { kind: 'done'; paid: Paid } | Extract<Verdict, { kind: 'stop' }> | { kind: 'interrupted' };

/** The row until it has an answer. */
async function payRow({ kelpie, pace }: Paying, row: PayoutRow, signal: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now();
  for (let failures = 0; ; failures += 1) {
    if (!(await pace.turn(signal))) return { kind: 'interrupted' };
    try {
      // Not ended by the signal: a request that has left gets its answer, so that the result file has it.
      const { payout, replayed } = await kelpie.payouts.create(row.order, { idempotencyKey: row.key });
      const found = { payoutId: payout.id, status: payout.status, error: payout.failure_code ?? '' };
      return { kind: 'done', paid: { result: resultOf(row, found), replayed } };
    } catch (error) {
      const verdict = judgeError(error, failures);
      if (verdict.kind === 'stop') return verdict;
      if (verdict.kind === 'refused') {
        const result = resultOf(row, { payoutId: '', status: 'refused', error: verdict.error });
        return { kind: 'done', paid: { result, replayed: false } };
      }
      if (performance.now() - startedAt > patienceMs) return { kind: 'stop', code: 'unavailable', why: unavailable };
      // The others wait too: what holds one back holds back all.
      pace.hold(verdict.afterMs);
      if (!(await pause(verdict.afterMs, signal))) return { kind: 'interrupted' };
    }
  }
}

/** Undefined once every row has its result. */
export async function payRows(
  paying: Paying,
  rows: readonly PayoutRow[],
  signal: AbortSignal,
): Promise<Stop | 'interrupted' | undefined> {
  let stop: Stop | undefined;
  let isInterrupted = false;
  const left = rows.values();
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const work = async (): Promise<void> => {
    for (const row of left) {
      if (either.aborted) return void (isInterrupted = true);
      const outcome = await payRow(paying, row, either);
      if (outcome.kind === 'done') paying.onDone(outcome.paid);
      else if (outcome.kind === 'interrupted') isInterrupted = true;
      else {
        // The first reason counts; those that were under way at the same time have the same.
        stop ??= { code: outcome.code, why: outcome.why, line: row.line };
        ending.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: paying.atOnce }, work));
  return stop ?? (isInterrupted ? 'interrupted' : undefined);
}
