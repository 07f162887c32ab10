import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultKinds, faultPoints } from '@kelpie/sandbox-bank/src/faults.ts';
import { payoutsASecond, planPayouts, transferActs, victims, webhookModes } from './payouts-plan.ts';

const plan = planPayouts({ seed: 1, seconds: 300 });

test('faults 63: the same seed makes the same plan, and another seed another', () => {
  assert.deepEqual(planPayouts({ seed: 1, seconds: 300 }), plan);
  const other = planPayouts({ seed: 2, seconds: 300 });
  assert.notEqual(other.digest, plan.digest);
  assert.notDeepEqual(other.events, plan.events);
});

test('every second has its twenty payouts, each under a key of its own', () => {
  const created = plan.events.filter(({ kind }) => kind === 'create');
  const bySecond = Map.groupBy(created, ({ atMs }) => Math.floor(atMs / 1_000));
  assert.equal(bySecond.size, 300);
  for (const [second, events] of bySecond) assert.equal(events.length, payoutsASecond, `in second ${second}`);
  const keys = plan.events.flatMap((event) => (event.kind === 'create' ? [event.order.key] : []));
  assert.equal(new Set(keys).size, keys.length);
});

test('events come in the order of their times', () => {
  const times = plan.events.map(({ atMs }) => atMs);
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
});

test('in 300 seconds everything that can happen does', () => {
  const happened = new Set(
    plan.events.map((event) => {
      switch (event.kind) {
        case 'create':
        case 'repeat':
        case 'reuse':
        case 'cancel':
          return event.kind;
        case 'deposit':
          return event.act;
        case 'act':
          return `act ${event.act}`;
        case 'fault':
          return `fault ${event.fault.on} ${event.fault.kind}`;
        case 'webhooks':
          return `webhooks ${event.mode}`;
        case 'kill':
          return `kill ${event.victim}`;
      }
    }),
  );
  const expected = [
    'create',
    'repeat',
    'reuse',
    'cancel',
    'top_up',
    'take_back',
    ...transferActs.map((act) => `act ${act}`),
    ...[...faultPoints, 'any'].flatMap((on) => faultKinds.map((kind) => `fault ${on} ${kind}`)),
    ...webhookModes.map((mode) => `webhooks ${mode}`),
    ...victims.map((victim) => `kill ${victim}`),
  ];
  assert.deepEqual([...happened].toSorted(), expected.toSorted());
});

test('some repeats come at the very moment of the first', () => {
  const createdAt = new Map(
    plan.events.flatMap((event) => (event.kind === 'create' ? [[event.order.key, event.atMs]] : [])),
  );
  const repeats = plan.events.flatMap((event) => (event.kind === 'repeat' ? [event] : []));
  const atOnce = repeats.filter(({ order, atMs }) => createdAt.get(order.key) === atMs);
  assert(atOnce.length > 0 && atOnce.length < repeats.length);
});

test('nothing comes back while nobody would be told', () => {
  let mode = 'normal';
  for (const event of plan.events) {
    if (event.kind === 'webhooks') ({ mode } = event);
    assert(!(mode === 'lose' && event.kind === 'act' && event.act === 'return'), `at ${event.atMs}`);
  }
});
