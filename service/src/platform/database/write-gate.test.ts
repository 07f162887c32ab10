import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createLogger } from '../logging.ts';
import { retryAfterFor, startWriteGate, type ProbeResult, type ProbedWriteGate } from './write-gate.ts';

interface Probed {
  gate: ProbedWriteGate;
  lines: string[];
  /** Answers the probe that is under way, or the next one. */
  answer: (result: ProbeResult) => Promise<void>;
  move: (ms: number) => void;
}

/** A gate whose probe a test answers. */
function startProbed(t: TestContext): Probed {
  const lines: string[] = [];
  const asked: ((result: ProbeResult) => void)[] = [];
  let nowMs = 1_000;
  const gate = startWriteGate({
    probe: async () => new Promise<ProbeResult>((resolve) => void asked.push(resolve)),
    logger: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
    now: () => nowMs,
    everyMs: { open: 1, closed: 1 },
  });
  t.after(() => gate.stop());
  return {
    gate,
    lines,
    async answer(result) {
      const resolve = await eventually('a probe', async () => asked.shift());
      resolve(result);
      // The next one begins only after this one is done.
      await eventually('the next probe', async () => asked.length > 0);
    },
    move(ms) {
      nowMs += ms;
    },
  };
}

test('a write that failed closes the gate at once, and a probe that is confirmed opens it', async (t) => {
  const { gate, answer, move } = startProbed(t);
  assert.equal(gate.isOpen(), true);
  await answer(null);
  gate.close();
  move(500);
  assert.equal(gate.isOpen(), false);
  assert.equal(gate.closedForMs(), 500);
  // This one began before the write failed, so its success proves nothing.
  await answer(null);
  assert.equal(gate.isOpen(), false);
  await answer(null);
  assert.equal(gate.isOpen(), true);
  assert.equal(gate.closedForMs(), 0);
});

test('without traffic the probe alone closes and opens it, and each is reported once', async (t) => {
  const { gate, answer, lines } = startProbed(t);
  await answer('database_timed_out');
  assert.equal(gate.isOpen(), false);
  await answer('database_read_only');
  await answer('database_timed_out');
  await answer(null);
  assert.equal(gate.isOpen(), true);
  const events = lines.map((line): unknown => JSON.parse(line));
  assert.equal(events.length, 2);
  assert.match(lines[0] ?? '', /"error_code":"database_timed_out","event":"writes.lost"/);
  assert.match(lines[1] ?? '', /"event":"writes.regained"/);
});

test('one lost connection is not reported as an outage', async (t) => {
  const { gate, answer, lines } = startProbed(t);
  await answer(null);
  gate.close();
  await answer(null);
  await answer(null);
  assert.equal(gate.isOpen(), true);
  assert.deepEqual(lines, []);
});

test('who waits for the gate is let go when it opens, and gives up with its own deadline', async (t) => {
  const { gate, answer } = startProbed(t);
  await gate.untilOpen(AbortSignal.abort());
  await answer('database_unreachable');
  const given = new AbortController();
  const [waits, givesUp] = [gate.untilOpen(new AbortController().signal), gate.untilOpen(given.signal)];
  given.abort(new Error('no longer'));
  await assert.rejects(givesUp, /no longer/);
  await answer(null);
  await waits;
});

/** The least and the most. */
function retryAfterRange(seconds: number): number[] {
  return [0, 0.999].map((random) => retryAfterFor(seconds * 1_000, () => random));
}

test('Retry-After begins at about a second, grows with the outage, ends at 30 s and differs between callers', () => {
  assert.deepEqual(retryAfterRange(0), [1, 2]);
  assert.deepEqual(retryAfterRange(12), [2, 6]);
  assert.deepEqual(retryAfterRange(3_600), [10, 30]);
});
