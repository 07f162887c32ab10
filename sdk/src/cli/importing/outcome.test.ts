import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payout } from '../../../test/examples.ts';
import { KelpieUnreachable, type Payout } from '../../index.ts';
import { followResults } from './follow-results.ts';
import { adviseAfter, describeOutcome, exitCodeOf, type Outcome } from './outcome.ts';
import { createPace } from './pace.ts';
import type { RowResult } from './results-file.ts';

function resultOf(row: number, status: string): RowResult {
  return { row, key: `payroll-${row}`, payoutId: `id-${row}`, status, error: '', fingerprint: '' };
}

function outcomeOf(statuses: readonly string[], change: Partial<Outcome> = {}): Outcome {
  const results = statuses.map((status, at) => resultOf(at + 2, status));
  return { results, created: results.length, before: 0, stop: undefined, waited: false, file: 'r.csv', ...change };
}

test('the exit code says whether there is something to do', () => {
  assert.equal(exitCodeOf(outcomeOf(['processing', 'completed'])), 0);
  assert.equal(exitCodeOf(outcomeOf(['processing', 'refused'])), 1);
  assert.equal(exitCodeOf(outcomeOf(['completed', 'failed'], { waited: true })), 1);
  assert.equal(exitCodeOf(outcomeOf(['processing', 'failed'], { waited: true })), 75);
  assert.equal(exitCodeOf(outcomeOf([], { stop: { code: 'insufficient_funds', why: 'No.', line: 2 } })), 75);
  assert.equal(exitCodeOf(outcomeOf([], { stop: 'interrupted' })), 130);
});

test('the end says what became of the rows, and what to do next', () => {
  const waited = outcomeOf(['completed', 'failed', 'processing', 'refused'], { created: 2, before: 1, waited: true });
  assert.equal(
    describeOutcome(waited),
    '2 payouts created. 1 created earlier. 1 row refused.\n1 completed, 1 failed, 1 processing.\nResults: r.csv\n',
  );
  assert.match(adviseAfter(waited) ?? '', /^1 payout not final yet\./);
  assert.equal(adviseAfter(outcomeOf(['processing'])), undefined);
});

test('payouts are asked for until they are final, through failures that pass, and no longer than the time', async () => {
  let asked = 0;
  const get = async (id: string): Promise<Payout> => {
    asked += 1;
    if (asked === 1) throw new KelpieUnreachable({ reason: 'network' });
    return { ...payout, id, status: id === 'id-4' ? 'processing' : 'completed' };
  };
  const ended: RowResult[] = [];
  const open = await followResults(
    {
      kelpie: { payouts: { get } },
      pace: createPace(1_000),
      timeoutSeconds: 3,
      onChange: (result) => ended.push(result),
    },
    ['processing', 'pending', 'processing', 'failed'].map((status, at) => resultOf(at + 2, status)),
    new AbortController().signal,
  );
  assert.equal(open, 1);
  assert.deepEqual(ended.map(({ key, status }) => `${key} ${status}`).toSorted(), [
    'payroll-2 completed',
    'payroll-3 completed',
  ]);
});
