import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCounters, judgeCaps, type Movement, type PartnerLog, type RefusedRequest } from './caps-model.ts';

// The judge of `npm run simulate -- caps` finds each planted mistake, and nothing where there is none.

const noon = new Date('2026-11-16T12:00:00Z');
const nextNoon = new Date('2026-11-17T12:00:00Z');
const keyId = 'key-1';

function hold(version: number, pence: bigint, change: Partial<Movement> = {}): Movement {
  const payoutId = `payout-${version}`;
  return {
    version,
    reason: 'payout.hold',
    payoutId,
    pence,
    keyId,
    account: 'a',
    isNewPayee: true,
    at: noon,
    ...change,
  };
}

function logOf(movements: readonly Movement[], change: Partial<PartnerLog> = {}): PartnerLog {
  const keys = new Map([[keyId, { daily: 1_000n, fullLimitAt: null }]]);
  return {
    name: 'p',
    caps: { daily: 3_000n, newPayee: 2_000n },
    changes: [],
    keys,
    movements,
    refusals: [],
    ...change,
  };
}

function refusal(change: Partial<RefusedRequest>): RefusedRequest {
  const reported = { limit: 'key', limitPence: 1_000n, leftPence: 300n } as const;
  return { pence: 400n, keyId, account: 'a', days: ['2026-11-16'], versions: [1, 1], reported, ...change };
}

test('faults 68: a day within its limits has no violation, to the penny', () => {
  const { violations, counters } = judgeCaps(logOf([hold(1, 999n), hold(2, 1n), hold(3, 1_000n, { at: nextNoon })]));
  assert.deepEqual(violations, []);
  assert.deepEqual([...counters.values()], [1_000n, 1_000n, 1_000n, 1_000n, 1_000n, 1_000n]);
});

const overs: readonly [what: string, log: PartnerLog][] = [
  ['a penny over the limit of a key', logOf([hold(1, 1_000n), hold(2, 1n)])],
  [
    'a penny over the limit of a partner',
    logOf([1, 2, 3, 4].map((n) => hold(n, n === 4 ? 1n : 1_000n, { keyId: null, account: `${n}` }))),
  ],
  ['a penny over the limit of a new payee', logOf([hold(1, 2_000n, { keyId: null }), hold(2, 1n, { keyId: null })])],
  [
    'over a limit that was lowered before it',
    logOf([hold(2, 600n)], { changes: [{ afterVersion: 1, daily: 500n, newPayee: 500n }] }),
  ],
  [
    'a new key over 1,000.00',
    logOf([hold(1, 100_001n)], {
      caps: { daily: null, newPayee: null },
      keys: new Map([[keyId, { daily: null, fullLimitAt: nextNoon }]]),
    }),
  ],
  [
    'a release of another day that was given back all the same',
    logOf([
      hold(1, 1_000n),
      { ...hold(2, 1_000n), reason: 'payout.not_created', payoutId: 'payout-1', at: nextNoon },
      hold(3, 1n),
    ]),
  ],
  [
    'a return that was given back',
    logOf([hold(1, 1_000n), { ...hold(2, 1_000n), reason: 'payout.returned', payoutId: 'payout-1' }, hold(3, 1n)]),
  ],
  [
    'a release that was given back twice',
    logOf([
      hold(1, 500n),
      hold(2, 500n),
      { ...hold(3, 500n), reason: 'payout.not_created', payoutId: 'payout-1' },
      { ...hold(4, 500n), reason: 'payout.not_created', payoutId: 'payout-1' },
      hold(5, 501n),
    ]),
  ],
];
for (const [what, log] of overs) {
  test(`the judge finds ${what}`, () => assert.notDeepEqual(judgeCaps(log).violations, []));
}

test('what was given back can be spent again, and a lowered limit leaves what was spent before it', () => {
  const back = { ...hold(2, 900n), reason: 'payout.cancelled', payoutId: 'payout-1' };
  const changes = [{ afterVersion: 3, daily: 100n, newPayee: 100n }];
  assert.deepEqual(judgeCaps(logOf([hold(1, 900n), back, hold(3, 1_000n)], { changes })).violations, []);
});

const movements = [hold(1, 700n), hold(2, 100n)];
const reported = { limit: 'key', limitPence: 1_000n, leftPence: 300n } as const;
const right: readonly [what: string, refusal: RefusedRequest][] = [
  ['that was so at its turn', refusal({})],
  ['that was so at one moment of its time', refusal({ versions: [0, 2] })],
  ['for funds, where no limit is passed', refusal({ reported: null, pence: 300n })],
];
for (const [what, refused] of right) {
  test(`the judge accepts a refusal ${what}`, () =>
    assert.deepEqual(judgeCaps(logOf(movements, { refusals: [refused] })).violations, []));
}

const wrong: readonly [what: string, refusal: RefusedRequest][] = [
  ['of what would have fitted', refusal({ pence: 300n })],
  ['that tells another amount than was left', refusal({ reported: { ...reported, leftPence: 299n } })],
  ['that tells another limit than was in force', refusal({ reported: { ...reported, limitPence: 2_000n } })],
  ['at another time than its own', refusal({ versions: [2, 2] })],
  ['on another day', refusal({ days: ['2026-11-17'] })],
  ['by another key’s limit', refusal({ keyId: 'key-2' })],
  [
    'that does not tell the least',
    refusal({ pence: 4_000n, reported: { limit: 'daily', limitPence: 3_000n, leftPence: 2_300n } }),
  ],
  ['for funds, where a limit is passed', refusal({ reported: null })],
];
for (const [what, refused] of wrong) {
  test(`the judge finds a refusal ${what}`, () =>
    assert.equal(judgeCaps(logOf(movements, { refusals: [refused] })).violations.length, 1));
}

test('the judge finds a counter that is a penny off, missing, or of nothing', () => {
  const model = new Map([['2026-11-16 daily', 5n]]);
  assert.deepEqual(compareCounters('p', model, model), []);
  for (const ours of [new Map([['2026-11-16 daily', 6n]]), new Map(), new Map([...model, ['2026-11-16 key x', 1n]])])
    assert.equal(compareCounters('p', ours, model).length, 1);
});
