import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { DepositLine, DepositEvent } from '../banks/index.ts';
import { mergeDepositEvents } from './merge-deposit-events.ts';
import type { KnownDeposit } from './deposit.ts';
import { applyDepositUpdate, rateOf, type DepositStep } from './apply-deposit-update.ts';

const quiet = { wasProcessed: false, sentPence: null, net: null, fee: null, sender: null };
const events = {
  received: { ...quiet, depositId: 'd', bankState: 'funds_received', state: 'arriving', sentPence: 10_000n },
  submitted: {
    ...quiet,
    depositId: 'd',
    bankState: 'payment_submitted',
    state: 'arriving',
    net: 124_690_000n,
    fee: 310_000n,
  },
  processed: {
    ...quiet,
    depositId: 'd',
    bankState: 'payment_processed',
    state: 'processed',
    wasProcessed: true,
    net: 124_690_000n,
    fee: 310_000n,
  },
  refunded: { ...quiet, depositId: 'd', bankState: 'refunded', state: 'refunded', net: 124_690_000n },
  stuck: { ...quiet, depositId: 'd', bankState: 'error', state: 'needs_attention' },
} as const satisfies Record<string, DepositEvent>;

function lines(...said: readonly DepositEvent[]): DepositLine[] {
  return said.map((event, at) => ({
    id: String(at),
    at: new Date(at),
    changedAt: new Date(at),
    mayChange: false,
    event,
  }));
}

const fresh: KnownDeposit = {
  id: 'ours',
  state: 'pending',
  revision: 1,
  bankState: '',
  sentPence: null,
  net: null,
  fee: null,
  rate: null,
  trouble: null,
  hasSender: false,
};

/** Takes what is read in one go, and says what it then is and what happened. */
function take(known: KnownDeposit, ...said: readonly DepositEvent[]): { known: KnownDeposit; steps: DepositStep[] } {
  const [news] = mergeDepositEvents(lines(...said));
  assert(news !== undefined);
  const change = applyDepositUpdate(known, news);
  if (change === null) return { known, steps: [] };
  const { steps, ...facts } = change;
  const last = steps.at(-1);
  assert(last !== undefined, 'a change without a step');
  const moved = { ...known, ...facts, state: last.state, revision: known.revision + steps.length };
  return { known: moved, steps };
}

function movesOf(steps: readonly DepositStep[]): string[] {
  return steps.flatMap((step) => ('amount' in step ? [`${step.what} ${step.amount}`] : []));
}

test('a whole life that is read at once is credited once, with rate and fee', () => {
  const { known, steps } = take(fresh, events.received, events.submitted, events.processed);
  assert.deepEqual(movesOf(steps), ['credited 124690000']);
  assert.deepEqual([known.state, known.net, known.fee, known.rate], ['credited', 124_690_000n, 310_000n, 800_000n]);
});

test('nothing is credited before the bank says that it is processed', () => {
  const { known, steps } = take(fresh, events.received, events.submitted);
  assert.deepEqual([known.state, movesOf(steps)], ['pending', []]);
});

test('what is read again changes nothing', () => {
  for (const life of [
    [events.received],
    [events.received, events.submitted, events.processed],
    [events.received, events.refunded],
    [events.received, events.processed, events.refunded],
    [events.received, events.stuck],
  ]) {
    const once = take(fresh, ...life).known;
    assert.equal(
      applyDepositUpdate(once, mergeDepositEvents(lines(...life))[0] ?? assert.fail()),
      null,
      life.at(-1)?.bankState,
    );
  }
});

test('however its lines are split, doubled and shuffled, a deposit is credited once and taken back once', () => {
  const life = [events.received, events.submitted, events.processed, events.refunded];
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom(...life), { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.shuffledSubarray(life, { minLength: 4 }),
      (readings, last) => {
        let known = fresh;
        const moves: string[] = [];
        for (const said of [...readings, ...last.map((event) => [event])]) {
          const taken = take(known, ...said);
          known = taken.known;
          moves.push(...movesOf(taken.steps));
        }
        assert.deepEqual(moves, ['credited 124690000', 'reversed 124690000']);
        assert.equal(known.state, 'reversed');
        assert.equal(known.trouble, null);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('one that was delivered and sent back before we looked is credited and taken back', () => {
  const gone = { ...events.refunded, wasProcessed: true, fee: 310_000n };
  const { known, steps } = take(fresh, gone);
  assert.deepEqual(movesOf(steps), ['credited 124690000', 'reversed 124690000']);
  assert.equal(known.state, 'reversed');
  assert.deepEqual(take(known, gone).steps, []);
});

test('one that went back before it was credited brings nothing', () => {
  const { known, steps } = take(fresh, events.received, { ...events.refunded, net: null, sentPence: 10_000n });
  assert.deepEqual([known.state, movesOf(steps)], ['refunded', []]);
});

test('what contradicts itself moves no money, and is for a person to look at', () => {
  const withoutAmount = take(fresh, { ...events.processed, net: null });
  assert.deepEqual([withoutAmount.known.state, movesOf(withoutAmount.steps)], ['pending', []]);
  assert.match(String(withoutAmount.known.trouble), /processed it without an amount/);
  const credited = take(fresh, events.received, events.processed).known;
  const other = take(credited, { ...events.processed, net: 1n });
  assert.deepEqual([other.known.net, movesOf(other.steps)], [124_690_000n, []]);
  assert.match(String(other.known.trouble), /reports a different amount/);
  const stuck = take(fresh, events.received, events.stuck).known;
  assert.equal(stuck.trouble, 'bank status error');
  const going = take(stuck, events.processed).known;
  assert.deepEqual([going.state, going.trouble], ['credited', null]);
});

test('more or less than was credited can be taken back: the books follow the bank, and a person looks', () => {
  const credited = take(fresh, events.received, events.processed).known;
  const { known, steps } = take(credited, { ...events.refunded, net: 100_000_000n });
  assert.deepEqual(movesOf(steps), ['reversed 100000000']);
  assert.match(String(known.trouble), /reversed a different amount/);
});

test('the rate is that of all that was sent, cut off after six places', () => {
  assert.equal(rateOf(10_000n, 124_690_000n, 310_000n), 800_000n);
  assert.equal(rateOf(10_000n, 129_870_000n, 0n), 770_000n);
  assert.equal(rateOf(10_000n, 130_000_000n, null), 769_230n);
  assert.equal(rateOf(null, 1n, 0n), null);
});
