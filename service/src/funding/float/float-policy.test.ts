import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideMove, mostADay, sweepAbove, type Decision } from './float-policy.ts';

const usdc = (amount: number): bigint => BigInt(amount) * 1_000_000n;

function topUp(amount: bigint, isCut = false): Decision {
  return { kind: 'move', move: { kind: 'top_up', amount }, isCut };
}

function swept(amount: bigint): Decision {
  return { kind: 'move', move: { kind: 'sweep', amount }, isCut: false };
}

test('what a wallet lacks is topped up with a cushion, and never by more than one move may have', () => {
  assert.deepEqual(decideMove(1n, 0n), topUp(usdc(10) + 1n));
  assert.deepEqual(decideMove(usdc(66), 0n), topUp(usdc(76)));
  assert.deepEqual(decideMove(usdc(1_000_000), 0n), topUp(usdc(2_500)));
});

test('a wallet that lacks nothing, or holds a little too much, is left alone', () => {
  for (const lacks of [0n, -1n, -sweepAbove]) assert.deepEqual(decideMove(lacks, 0n), { kind: 'none' });
});

test('what gains have left in a wallet is swept down to the cushion', () => {
  assert.deepEqual(decideMove(-sweepAbove - 1n, mostADay), swept(sweepAbove + 1n - usdc(10)));
  assert.deepEqual(decideMove(-usdc(1_000_000), 0n), swept(usdc(2_500)));
});

test('the top-ups of a day have a limit: the last one is cut, and after it there is none', () => {
  assert.deepEqual(decideMove(usdc(66), mostADay - usdc(70)), topUp(usdc(70), true));
  assert.deepEqual(decideMove(usdc(66), mostADay - usdc(76)), topUp(usdc(76)));
  assert.deepEqual(decideMove(usdc(66), mostADay), { kind: 'spent' });
});
