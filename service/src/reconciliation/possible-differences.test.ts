import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { possibleDifferences, Votes } from './possible-differences.ts';

const amount = fc.bigInt({ min: -1_000_000n, max: 1_000_000n });
const amounts = fc.array(amount);

function sum(all: readonly bigint[]): bigint {
  return all.reduce((total, one) => total + one, 0n);
}

test('where the first lines after it are in the balance, the true difference is among the possible ones', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.nat(3), amount, (earlier, later, added, difference) => {
      const inBalance = later.slice(0, added);
      assert(possibleDifferences(difference + sum(inBalance), { earlier, later }).has(difference));
    }),
  );
});

test('it still is where the last lines before it are not in the balance yet', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.nat(3), amount, (earlier, later, missing, difference) => {
      const left = missing === 0 ? [] : earlier.slice(-missing);
      assert(possibleDifferences(difference - sum(left), { earlier, later }).has(difference));
    }),
  );
});

test('where nothing moved, one look is enough', () => {
  assert.equal(new Votes().add(possibleDifferences(2n, { earlier: [], later: [] })), 2n);
});

/** Looks at a wallet that loses these, read at a place of its own in each. */
function agreed(difference: bigint, paid: readonly bigint[]): bigint | null {
  const votes = new Votes();
  let found: bigint | null = null;
  for (let look = 0; look < 20 && found === null; look += 1) {
    const moved = Array.from({ length: 14 }, (_, nth) => paid[(look * 7 + nth * nth) % paid.length] ?? 0n);
    const [earlier, later] = [moved.slice(0, 10), moved.slice(10)];
    const inBalance = moved.slice(0, 8 + ((look * 11) % 6));
    const apart = difference + sum(inBalance) - sum(earlier);
    found = votes.add(possibleDifferences(apart, { earlier, later }));
  }
  return found;
}

test('looks at a wallet that never stands still agree on what is missing, to the cent, or that nothing is', () => {
  const many = Array.from({ length: 97 }, (_, nth) => -(1_000n + BigInt((nth * 313) % 997)));
  for (const paid of [many, [-1_270n]])
    for (const difference of [0n, -1n, 1n, 250n]) assert.equal(agreed(difference, paid), difference);
});
