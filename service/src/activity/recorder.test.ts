import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SingleCalls } from '../platform/database/single-call.ts';
import { openWriteGate } from '../platform/database/write-gate.ts';
import { newId } from '../platform/ids.ts';
import { noRowMacs } from '../platform/row-mac.ts';
import { createLogger } from '../platform/logging.ts';
import { createActivityRecorder } from './recorder.ts';
import type { ActivityRow } from './store.ts';

const logger = createLogger('test', 'silent');

const idForm = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A database that takes what it is given, or refuses it as long as it is told to; and what it has taken. */
function createTaker() {
  const taker = { refuses: false, asked: 0, ids: Array.of<string>() };
  const calls: SingleCalls = {
    rowMacs: noRowMacs,
    writeGate: openWriteGate,
    async call(_call, [, , , pages]) {
      taker.asked += 1;
      if (taker.refuses) throw new Error('refused');
      taker.ids.push(...(String(pages).match(idForm) ?? []));
      return [];
    },
    callForTexts: async () => [],
  };
  return { taker, recorder: createActivityRecorder(calls, logger) };
}

/** A millisecond later at each look: rows of the same instant would have no order. */
let passedMs = 0;
const clock = { now: () => new Date(1_790_000_000_000 + (passedMs += 1)) };

function rowsOf(partnerId: string, count: number, change: Partial<ActivityRow> = {}): ActivityRow[] {
  return Array.from({ length: count }, () => ({
    id: newId(clock),
    partnerId,
    environment: 'sandbox',
    action: 'payout.get',
    status: 200,
    by: 'kp_sandbox_00000000',
    detail: null,
    ...change,
  }));
}

test('what comes together is written together, and once', async () => {
  const { taker, recorder } = createTaker();
  const rows = rowsOf('one', 150);
  for (const row of rows) recorder.record(row);
  await Promise.all([recorder.flush(), recorder.flush()]);
  await recorder.stop();
  assert.deepEqual(
    taker.ids,
    rows.map(({ id }) => id),
  );
  assert.equal(taker.asked, 1);
});

test('of one partner no more are written than it can see, the newest; of another all', async () => {
  const { taker, recorder } = createTaker();
  const [many, few] = [rowsOf('one', 1_050), rowsOf('two', 3)];
  for (const row of [...many, ...few]) recorder.record(row);
  await recorder.stop();
  assert.deepEqual(new Set(taker.ids), new Set([...many.slice(-200), ...few].map(({ id }) => id)));
});

test('what could not be written is written later, and gives way to what is newer', async () => {
  const { taker, recorder } = createTaker();
  const [older, newer] = [rowsOf('one', 150), rowsOf('one', 150)];
  taker.refuses = true;
  for (const row of older) recorder.record(row);
  await recorder.flush();
  for (const row of newer) recorder.record(row);
  taker.refuses = false;
  await recorder.stop();
  assert.deepEqual(
    taker.ids,
    [...older.slice(100), ...newer].map(({ id }) => id),
  );
});

test('what is refused again and again is given up in the end, so that others are written', async () => {
  const { taker, recorder } = createTaker();
  taker.refuses = true;
  for (const row of rowsOf('one', 5)) recorder.record(row);
  for (let tries = 0; tries < 21; tries += 1) await recorder.flush();
  taker.refuses = false;
  const [next] = rowsOf('two', 1);
  assert(next !== undefined);
  recorder.record(next);
  await recorder.stop();
  assert.deepEqual(taker.ids, [next.id]);
});

test('of what is refused for its number one a second is noted for each caller', async () => {
  const { taker, recorder } = createTaker();
  const [flood, other] = [
    rowsOf('one', 50, { status: 429 }),
    rowsOf('one', 2, { status: 429, by: 'kp_sandbox_11111111' }),
  ];
  for (const row of [...flood, ...other]) recorder.record(row);
  await recorder.stop();
  assert.deepEqual(new Set(taker.ids), new Set([flood[0]?.id, other[0]?.id]));
});

test('more than can be remembered is not, however long the database is away', async () => {
  const { taker, recorder } = createTaker();
  taker.refuses = true;
  for (let partner = 0; partner < 150; partner += 1) for (const row of rowsOf(`p${partner}`, 200)) recorder.record(row);
  taker.refuses = false;
  await recorder.stop();
  assert.equal(taker.ids.length, 20_000);
});
