import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasReplayed, nameSegment, parseSegment, segmentAfter } from './wal-position.ts';

const segmentBytes = 16n * 1024n * 1024n;

test('the name of a WAL segment gives its timeline and position, and back', () => {
  const name = '0000000A00000003000000FE';
  const segment = parseSegment(name, segmentBytes);
  assert.deepEqual(segment, { timeline: 10, start: 3n * 0x1_0000_0000n + 0xfen * segmentBytes });
  assert(segment !== undefined);
  assert.equal(nameSegment(segment, segmentBytes), name);
  assert.equal(parseSegment('0000000A.history', segmentBytes), undefined);
});

test('the segment after the last one of a half is the first one of the next', () => {
  assert.equal(segmentAfter('0000000100000000000000FF', segmentBytes), '000000010000000100000000');
  assert.equal(segmentAfter('000000010000000000000007', segmentBytes), '000000010000000000000008');
});

test('recovery that ended at or before the newest segment, or on an older timeline, has not replayed it', () => {
  const start = 7n * segmentBytes;
  const judge = (position: bigint, newTimeline: number): boolean =>
    hasReplayed({ position, newTimeline, segmentBytes }, '000000020000000000000007');
  assert.equal(judge(start, 3), false);
  assert.equal(judge(start - 1n, 3), false);
  assert.equal(judge(start + 1n, 3), true);
  assert.equal(judge(start + segmentBytes, 3), true);
  assert.equal(judge(start + segmentBytes, 2), false);
});
