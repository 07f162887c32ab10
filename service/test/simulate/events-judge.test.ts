import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFeedGaps, judgeEndpoint, type EndpointRequest, type FeedEvent } from './events-judge.ts';

const feed: FeedEvent[] = [
  { id: 'a', sequence: 1, type: 'payout.processing', version: 2, data: { id: 'one' } },
  { id: 'b', sequence: 2, type: 'payout.processing', version: 2, data: { id: 'two' } },
  { id: 'c', sequence: 3, type: 'payout.completed', version: 3, data: { id: 'one' } },
];

/** What an endpoint gets where all goes well: each event once, one after the other. */
function allWell(): EndpointRequest[] {
  return feed.map((event, at) => ({
    body: { ...event, webhook: { id: 'endpoint', previous_sequence: at === 0 ? null : at } },
    begunMs: at * 10,
    endedMs: at * 10 + 5,
    isAccepted: true,
  }));
}

function judged(requests: EndpointRequest[], types: string[] | null = null) {
  const { gaps, undelivered, outOfOrder, wrong } = judgeEndpoint({ name: 'shop', types, requests }, feed);
  return [gaps.length, undelivered.length, outOfOrder.length, wrong.length];
}

/** The same with one request changed. */
function withChange(at: number, change: Partial<EndpointRequest>): EndpointRequest[] {
  const requests = allWell();
  const changed = requests[at];
  assert(changed !== undefined);
  Object.assign(changed, change);
  return requests;
}

test('an endpoint that gets each event once, or one of them again, is well', () => {
  assert.deepEqual(judged(allWell()), [0, 0, 0, 0]);
  const [first] = allWell();
  assert(first !== undefined);
  assert.deepEqual(judged([...allWell(), { ...first, begunMs: 40, endedMs: 45 }]), [0, 0, 0, 0]);
});

test('a number that is absent from the feed is a gap', () => {
  assert.equal(findFeedGaps('shop', feed).length, 0);
  assert.equal(findFeedGaps('shop', feed.toSpliced(1, 1)).length, 1);
});

test('a delivery that names another event before it is a gap', () => {
  const [, second] = allWell();
  assert(second !== undefined);
  const body = { ...second.body, webhook: { id: 'endpoint', previous_sequence: null } };
  assert.deepEqual(judged(withChange(1, { body })), [1, 0, 0, 0]);
});

test('an event that was refused, or never sent, is undelivered', () => {
  assert.deepEqual(judged(withChange(1, { isAccepted: false })), [0, 1, 0, 0]);
  assert.deepEqual(judged(allWell().slice(0, 2)), [0, 1, 0, 0]);
});

test('an older version that is first accepted after a newer one is out of order', () => {
  assert.deepEqual(judged(withChange(0, { begunMs: 40, endedMs: 45 })), [0, 0, 1, 0]);
});

test('two requests about one payout at once are out of order, of two payouts they are not', () => {
  assert.deepEqual(judged(withChange(0, { endedMs: 21 })), [0, 0, 1, 0]);
  assert.deepEqual(judged(withChange(0, { endedMs: 15 })), [0, 0, 0, 0]);
});

test('a request that never ended is under way for ever', () => {
  assert.deepEqual(judged(withChange(0, { endedMs: null, isAccepted: false })), [0, 1, 1, 0]);
});

test('an event that was not asked for, or differs from the feed, is wrong', () => {
  const [, second, third] = allWell();
  assert(second !== undefined && third !== undefined);
  const completed = { ...third, body: { ...third.body, webhook: { id: 'endpoint', previous_sequence: null } } };
  assert.deepEqual(judged([completed], ['payout.completed']), [0, 0, 0, 0]);
  assert.deepEqual(judged([second, completed], ['payout.completed']), [1, 0, 0, 1]);
  assert.deepEqual(judged(withChange(1, { body: { ...second.body, type: 'payout.failed' } })), [0, 0, 0, 1]);
});
