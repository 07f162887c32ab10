import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SingleCalls } from '../platform/database/single-call.ts';
import { openWriteGate } from '../platform/database/write-gate.ts';
import { noRowMacs } from '../platform/row-mac.ts';
import { createLogger } from '../platform/logging.ts';
import { createUseRecorder } from './use-recorder.ts';

const logger = createLogger('test', 'silent');

/** A database that notes what it is asked to write, or refuses it. */
function createTaker() {
  let now = Date.parse('2026-11-17T12:00:00Z');
  const taker = { refuses: false, isOpen: true, keys: Array.of<unknown>(), sessions: Array.of<unknown>() };
  const calls: SingleCalls = {
    rowMacs: noRowMacs,
    writeGate: { ...openWriteGate, isOpen: () => taker.isOpen },
    async call(_call, [keys, , sessions]) {
      if (taker.refuses) throw new Error('refused');
      taker.keys.push(keys);
      taker.sessions.push(sessions);
      return [];
    },
    callForTexts: async () => [],
  };
  const clock = { now: () => new Date(now) };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { taker, pass, uses: createUseRecorder(calls, { clock, logger, pepperVersion: 1 }) };
}

test('uses that come together are written together, each key and session once', async () => {
  const { taker, uses } = createTaker();
  for (const id of ['one', 'two', 'one']) uses.record('key', id);
  uses.record('session', 'three');
  await uses.stop();
  assert.deepEqual([taker.keys, taker.sessions], [[['one', 'two']], [['three']]]);
});

test('a key in use is written once a minute', async () => {
  const { taker, pass, uses } = createTaker();
  for (let requests = 0; requests < 121; requests += 1) {
    uses.record('key', 'one');
    await uses.stop();
    pass(1_000);
  }
  assert.deepEqual(taker.keys, [['one'], ['one'], ['one']]);
});

test('a use that could not be written is written with the next one', async () => {
  const { taker, pass, uses } = createTaker();
  taker.refuses = true;
  uses.record('key', 'one');
  await uses.stop();
  taker.refuses = false;
  pass(1_000);
  uses.record('key', 'one');
  await uses.stop();
  assert.deepEqual(taker.keys, [['one']]);
});

test('while no write can be confirmed, nothing is remembered', async () => {
  const { taker, uses } = createTaker();
  taker.isOpen = false;
  uses.record('key', 'one');
  taker.isOpen = true;
  await uses.stop();
  assert.deepEqual(taker.keys, []);
});
