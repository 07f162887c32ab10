import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFilters } from '@kelpie/sdk';
import { readNewest } from './newest-events.ts';

/** An event log with these sequences, as the API lists it. */
function logOf({ first, last }: { first: number; last: number }) {
  let requests = 0;
  const list = async ({ after = 0, limit = 50 }: EventFilters) => {
    requests += 1;
    const from = Math.max(first, after + 1);
    const data = Array.from({ length: Math.max(0, Math.min(limit, last - from + 1)) }, (_, at) => ({
      sequence: from + at,
    }));
    return { data, next: from + data.length <= last ? String(from + data.length) : undefined };
  };
  return { list, requests: () => requests };
}

async function newest(log: ReturnType<typeof logOf>, known = 0): Promise<(number | undefined)[]> {
  const found = await readNewest(log.list, { size: 25, known });
  return [found.length, found[0]?.sequence, found.at(-1)?.sequence];
}

test('the newest events are found however many there are, also where the oldest are no longer kept', async () => {
  assert.deepEqual(await newest(logOf({ first: 1, last: 0 })), [0, undefined, undefined]);
  assert.deepEqual(await newest(logOf({ first: 1, last: 7 })), [7, 1, 7]);
  for (const last of [25, 49, 50, 51, 75, 76, 100, 1_000, 12_345, 10_000_000])
    assert.deepEqual(await newest(logOf({ first: 1, last })), [25, last - 24, last]);
  assert.deepEqual(await newest(logOf({ first: 900_001, last: 900_003 })), [3, 900_001, 900_003]);
  assert.deepEqual(await newest(logOf({ first: 900_001, last: 2_000_000 })), [25, 1_999_976, 2_000_000]);
});

test('one request is enough for few events, and where the last is known; ten million take few', async () => {
  const few = logOf({ first: 1, last: 40 });
  await newest(few);
  assert.equal(few.requests(), 1);
  const known = logOf({ first: 1, last: 5_003 });
  assert.deepEqual(await newest(known, 5_000), [25, 4_979, 5_003]);
  assert.equal(known.requests(), 1);
  const many = logOf({ first: 1, last: 10_000_000 });
  await newest(many);
  assert.ok(many.requests() <= 35, String(many.requests()));
});
