import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { PaymentPage, PaymentRecord } from '../banks/index.ts';
import { idFor, instantOf } from '../platform/ids.ts';
import type { OurTransfer } from './compare-transfer.ts';
import { matchTransfers, TooDifferent, TransferMatcher } from './match-transfers.ts';
import type { MatcherState } from './progress/transfer-progress.ts';

const cutOff = new Date('2026-11-16T05:00:00Z');
const window = { from: new Date('2026-11-15T00:00:00Z'), cutOff };

function instantOfLine(number: number): Date {
  return new Date(cutOff.getTime() - 60_000 - number * 1_000);
}

function ours(number: number): OurTransfer {
  const at = instantOfLine(number);
  return {
    payoutId: idFor(at, Buffer.alloc(16, number)),
    orderId: `order-${number}`,
    state: 'completed',
    paymentId: `payment-${number}`,
    pays: 100n,
    recipient: null,
    took: 5n,
    refunded: null,
    booked: -5n,
    changedAt: at,
  };
}

function theirs(number: number, change: Partial<PaymentRecord> = {}): PaymentRecord {
  const at = instantOfLine(number);
  return {
    id: `payment-${number}`,
    ourReference: `order-${number}`,
    state: 'arrived',
    bankState: 'payment_processed',
    taken: 5n,
    refunded: null,
    failure: null,
    networkFee: null,
    returnFee: null,
    pays: 100n,
    recipientId: null,
    bankReference: null,
    createdAt: at,
    changedAt: at,
    ...change,
  };
}

async function* inPages<Line>(lines: readonly Line[], size: number): AsyncGenerator<Line[]> {
  for (let from = 0; from < lines.length; from += size) yield lines.slice(from, from + size);
}

async function* bankPages(lines: readonly PaymentRecord[], size: number): AsyncGenerator<PaymentPage> {
  for await (const payments of inPages(lines, size)) yield { payments, next: payments.at(-1)?.id ?? null };
}

async function match(
  mine: readonly OurTransfer[],
  bank: readonly PaymentRecord[],
  sizes: { ours: number; theirs: number } = { ours: 10, theirs: 3 },
): Promise<TransferMatcher> {
  const matcher = new TransferMatcher(window);
  const lists = { ours: inPages(mine, sizes.ours), theirs: bankPages(bank, sizes.theirs), reachedMs: Infinity };
  await matchTransfers(matcher, lists, async () => undefined);
  return matcher;
}

class Killed extends Error {}

/** Killed after so many pages of the bank's, and gone on with from what was left by then. */
async function matchInTwo(
  mine: readonly OurTransfer[],
  bank: readonly PaymentRecord[],
  { ours: ofOurs, theirs: ofTheirs, pages }: { ours: number; theirs: number; pages: number },
): Promise<TransferMatcher> {
  const first = new TransferMatcher(window);
  const left: { reachedMs: number; state: MatcherState }[] = [];
  const lists = { ours: inPages(mine, ofOurs), theirs: bankPages(bank, ofTheirs), reachedMs: Infinity };
  const killed = matchTransfers(first, lists, async (reachedMs) => {
    left.push({ reachedMs, state: first.stateAt(reachedMs) });
    if (left.length === pages) throw new Killed();
  });
  const isDone = await killed.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Killed)) throw error;
      return false;
    },
  );
  const last = left.at(-1);
  if (isDone || last === undefined) return first;
  const second = new TransferMatcher(window, last.state);
  for (const transfer of mine) if (last.state.waiting.includes(transfer.payoutId)) second.addOurs(transfer);
  const older = mine.filter(({ payoutId }) => instantOf(payoutId).getTime() < last.reachedMs);
  const rest = bank.slice(left.length * ofTheirs);
  const others = { ours: inPages(older, ofOurs), theirs: bankPages(rest, ofTheirs), reachedMs: last.reachedMs };
  await matchTransfers(second, others, async () => undefined);
  return second;
}

const size = fc.integer({ min: 1, max: 20 });

test('whatever the pages, and however lines of one moment stand, what is on both sides is equal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      size,
      size,
      fc.infiniteStream(fc.nat(3)),
      async (count, a, b, jitter) => {
        const numbers = Array.from({ length: count }, (_, number) => number);
        const moved = new Map(numbers.map((number) => [number, number + jitter.next().value]));
        const asTheBankHasIt = numbers.toSorted((one, other) => (moved.get(one) ?? 0) - (moved.get(other) ?? 0));
        const matcher = await match(
          numbers.map(ours),
          asTheBankHasIt.map((number) => theirs(number)),
          { ours: a, theirs: b },
        );
        assert.deepEqual([matcher.compared, matcher.inFlight, matcher.suspects], [count, 0, []]);
      },
    ),
  );
});

test('wherever it is killed, what goes on counts each line once, and suspects what differs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.record({ ours: size, theirs: size, pages: size }),
      fc.nat(),
      fc.infiniteStream(fc.nat(3)),
      async (count, cut, pick, jitter) => {
        const numbers = Array.from({ length: count }, (_, number) => number);
        const moved = new Map(numbers.map((number) => [number, number + jitter.next().value]));
        const order = numbers.toSorted((one, other) => (moved.get(one) ?? 0) - (moved.get(other) ?? 0));
        const at = pick % count;
        const bank = order.map((number) => theirs(number, number === at ? { taken: 6n } : {}));
        const matcher = await matchInTwo(numbers.map(ours), bank, cut);
        // A line whose payout was not read before the kill is asked about by itself.
        const suspects = new Set(matcher.suspects.map(({ paymentId }) => paymentId));
        assert(suspects.has(`payment-${at}`));
        assert.equal(matcher.compared + matcher.suspects.length, count);
        assert.equal(suspects.size, matcher.suspects.length);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('one line more, less, twice or other on either side is one suspect, wherever it stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.nat(), size, size, async (count, pick, a, b) => {
      const numbers = Array.from({ length: count }, (_, number) => number);
      const at = pick % count;
      const [mine, bank] = [numbers.map(ours), numbers.map((number) => theirs(number))];
      const without = <Line>(lines: readonly Line[]): Line[] => lines.filter((_, number) => number !== at);
      const sizes = { ours: a, theirs: b };
      const suspect = { paymentId: `payment-${at}`, payoutId: ours(at).payoutId };
      assert.deepEqual((await match(mine, without(bank), sizes)).suspects, [suspect]);
      assert.deepEqual((await match(without(mine), bank, sizes)).suspects, [{ ...suspect, payoutId: null }]);
      const other = bank.with(at, theirs(at, { taken: 6n }));
      assert.deepEqual((await match(mine, other, sizes)).suspects, [suspect]);
      const twice = bank.toSpliced(at, 0, theirs(at, { id: 'again' }));
      const found = (await match(mine, twice, sizes)).suspects.map(({ paymentId }) => paymentId);
      assert(found.includes('again') && found.every((id) => ['again', suspect.paymentId].includes(id)));
      const stray = bank.toSpliced(at, 0, theirs(at, { id: 'stray', ourReference: null }));
      assert.deepEqual((await match(mine, stray, sizes)).suspects, [{ paymentId: 'stray', payoutId: null }]);
    }),
  );
});

test('what has changed since the cut-off, or is at its end on neither side, is under way', async () => {
  const late = await match([ours(0)], [theirs(0, { state: 'refunded', changedAt: cutOff })]);
  assert.deepEqual([late.inFlight, late.suspects], [1, []]);
  const processing = { ...ours(0), state: 'processing' };
  const both = await match([processing], [theirs(0, { state: 'under_way' })]);
  assert.deepEqual([both.inFlight, both.suspects], [1, []]);
  const alone = await match([processing], [theirs(0)]);
  assert.deepEqual([alone.inFlight, alone.suspects.length], [0, 1]);
});

test('a bank whose clock is off ours by some minutes breaks nothing, however much is paid at the edges', async () => {
  const numbers = Array.from({ length: 2_000 }, (_, number) => number);
  const [newest, oldest] = [cutOff.getTime() - 40, window.from.getTime() + 80_000];
  for (const [begin, skewMs] of [
    [newest, 60_000],
    [newest, -60_000],
    [oldest, 60_000],
    [oldest, -60_000],
  ] as const) {
    const at = (number: number): Date => new Date(begin - number * 40);
    const mine = numbers.map((number) => ({
      ...ours(number),
      payoutId: idFor(at(number), Buffer.alloc(16)),
      changedAt: at(number),
    }));
    const bank = numbers.map((number) =>
      theirs(number, { createdAt: new Date(at(number).getTime() + skewMs), changedAt: at(number) }),
    );
    const matcher = await match(mine, bank, { ours: 1_000, theirs: 100 });
    assert.deepEqual([matcher.compared, matcher.suspects], [2_000, []]);
  }
});

test('what nobody ordered is a suspect from the window alone: the runs before and after have theirs', async () => {
  const outside = [new Date(cutOff.getTime() + 1), new Date(window.from.getTime() - 1)];
  const bank = outside.map((createdAt, number) => theirs(number, { createdAt }));
  assert.deepEqual((await match([], bank)).suspects, []);
});

test('an environment on which everything differs is broken off', async () => {
  const numbers = Array.from({ length: 1_001 }, (_, number) => number);
  const bank = numbers.map((number) => theirs(number, { taken: 6n }));
  await assert.rejects(match(numbers.map(ours), bank), TooDifferent);
});
