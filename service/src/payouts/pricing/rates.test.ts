import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Bank } from '../../banks/index.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import { createRates, rateAgesMs, type Rates } from './rates.ts';

type Answer = GbpPerUsd | null | Promise<GbpPerUsd | null>;

async function notAsked(): Promise<never> {
  throw new Error('only rates are asked here');
}

/** A bank that answers with what it is told to, and counts. */
class RateBank implements Bank {
  asked = 0;
  answer: Answer = 790_000n;
  registerRecipient = notAsked;
  sendPayment = notAsked;
  findPayment = notAsked;
  cancelPayment = notAsked;

  async findRate(): Promise<GbpPerUsd | null> {
    this.asked += 1;
    return this.answer;
  }
}

interface Market {
  bank: RateBank;
  other: RateBank;
  rates: Rates;
  move: (byMs: number) => void;
}

function open(): Market {
  const bank = new RateBank();
  const other = new RateBank();
  let now = Date.parse('2026-11-15T12:00:00Z');
  const banks = { simulated: other, provider_sandbox: bank, provider_production: null };
  const move = (byMs: number): void => {
    now += byMs;
  };
  return { bank, other, rates: createRates(banks, { now: () => new Date(now) }), move };
}

const rail = 'provider_sandbox';
const { payout, quote } = rateAgesMs;

test('a rate is asked for once, and good for twenty seconds without asking again', async () => {
  const { bank, rates, move } = open();
  assert.equal(await rates.find(rail, payout), 790_000n);
  move(20_000);
  assert.equal(await rates.find(rail, payout), 790_000n);
  assert.equal(bank.asked, 1);
});

test('an older one is still given at once while a new one is asked for', async () => {
  const { bank, rates, move } = open();
  await rates.find(rail, payout);
  move(20_001);
  const slow = Promise.withResolvers<GbpPerUsd>();
  bank.answer = slow.promise;
  assert.equal(await rates.find(rail, payout), 790_000n);
  assert.equal(bank.asked, 2);
  slow.resolve(800_000n);
  await turn();
  assert.equal(await rates.find(rail, payout), 800_000n);
  assert.equal(bank.asked, 2);
});

test('one that is too old for its purpose is not given: the bank is waited for, and where it does not say, there is none', async () => {
  const { bank, rates, move } = open();
  await rates.find(rail, payout);
  bank.answer = null;
  move(payout);
  assert.equal(await rates.find(rail, payout), 790_000n);
  await turn();
  move(1);
  assert.equal(await rates.find(rail, payout), null);
  // What binds nobody may be older.
  assert.equal(await rates.find(rail, quote), 790_000n);
  move(quote - payout);
  assert.equal(await rates.find(rail, quote), null);
  bank.answer = 810_000n;
  assert.equal(await rates.find(rail, payout), 810_000n);
});

test('a payout needs a rate of the last minute, a quote or a balance one of the last quarter of an hour', () => {
  assert.deepEqual(rateAgesMs, { payout: 60_000, quote: 900_000, balance: 900_000 });
});

test('those who ask at the same time ask the bank once', async () => {
  const { bank, rates } = open();
  const found = await Promise.all(Array.from({ length: 50 }, async () => rates.find(rail, payout)));
  assert.deepEqual([new Set(found), bank.asked], [new Set([790_000n]), 1]);
});

test('each rail has its own rate, and one without a bank has none', async () => {
  const { other, rates } = open();
  other.answer = 500_000n;
  assert.equal(await rates.find(rail, payout), 790_000n);
  assert.equal(await rates.find('simulated', payout), 500_000n);
  assert.equal(await rates.find('provider_production', quote), null);
});

test('the age of a rate counts from when it was asked for, not from when a slow bank answered', async () => {
  const { bank, rates, move } = open();
  const slow = Promise.withResolvers<GbpPerUsd>();
  bank.answer = slow.promise;
  const found = rates.find(rail, payout);
  await turn();
  move(payout + 1);
  slow.resolve(790_000n);
  assert.equal(await found, null);
});

test('a rate from the future, after the clock was set back, is asked for anew', async () => {
  const { bank, rates, move } = open();
  await rates.find(rail, payout);
  move(-3_600_000);
  bank.answer = null;
  assert.equal(await rates.find(rail, quote), null);
});

test('a bank whose answer breaks off fails the one who waits for it, nobody else, and is asked again', async () => {
  const { bank, rates, move } = open();
  await rates.find(rail, payout);
  bank.findRate = async () => {
    throw new Error('broken');
  };
  move(30_000);
  // Answered with the old one; the failure behind it must not end the process.
  assert.equal(await rates.find(rail, payout), 790_000n);
  await turn();
  move(60_000);
  await assert.rejects(rates.find(rail, payout), /broken/);
  bank.findRate = async () => 800_000n;
  assert.equal(await rates.find(rail, payout), 800_000n);
});
