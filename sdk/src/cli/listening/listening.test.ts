import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { apiKey, payout } from '../../../test/examples.ts';
import { startStandInApi } from '../../../test/stand-in-api.ts';
import { createKelpie, verifyWebhook, type Event } from '../../index.ts';
import { followEvents } from './follow-events.ts';
import { searchLast } from './last-sequence.ts';
import { newPlace, placeFile } from './place.ts';
import { signingSecret } from './signing-secret.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-place-'));
after(() => rmSync(folder, { recursive: true }));

test('the newest event is found in few reads, however many there are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000_000), async (last) => {
      let reads = 0;
      const found = await searchLast(async (sequence) => {
        reads += 1;
        return sequence < last;
      });
      assert.equal(found, last);
      assert(reads <= 45);
    }),
  );
});

test('a secret is the same for a key, and verifies as one', () => {
  assert.equal(signingSecret(apiKey), signingSecret(apiKey));
  assert.notEqual(signingSecret(apiKey), signingSecret(`${apiKey}1`));
  assert.match(signingSecret(apiKey), /^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('a place is kept in a file that only its owner can read, one per receiver, and a broken one is refused', () => {
  const place = newPlace(41);
  const file = placeFile(folder, ['https://api.kelpie.example', 'a', 'http://localhost:1/']);
  assert.equal(file.read(), undefined);
  file.write(place);
  assert.deepEqual(file.read(), place);
  assert.equal(statSync(file.file).mode & 0o777, 0o600);
  assert.equal(placeFile(folder, ['https://api.kelpie.example', 'a', 'http://localhost:2/']).read(), undefined);
  writeFileSync(file.file, readFileSync(file.file, 'utf8').slice(0, 10));
  assert.throws(() => file.read(), { code: 'place_unreadable', message: /--after/ });
});

function eventOf(sequence: number): Event {
  return {
    id: `01a1e3b1-25d4-7c3e-b5d1-00000000000${sequence}`,
    object: 'event',
    environment: 'sandbox',
    sequence,
    type: 'payout.completed',
    version: 1,
    created_at: '2026-11-16T09:30:04.000Z',
    data: payout,
  };
}

test('events are forwarded as signed webhooks, a redirect is not followed, and a gap of expired events is said', async () => {
  const api = await startStandInApi();
  const receiver = await startStandInApi();
  const stop = new AbortController();
  api.answer(({ query: { after: sequence } }) => ({
    json: { object: 'list', data: [5, 6].filter((each) => each > Number(sequence)).map(eventOf) },
  }));
  let answers = 0;
  receiver.answer(() => {
    answers += 1;
    return answers === 1 ? { status: 307, headers: { location: `${api.url}/elsewhere` } } : { status: 204, text: '' };
  });
  const secret = signingSecret(apiKey);
  const said: string[] = [];
  const place = newPlace(2);
  const end = await followEvents(
    {
      kelpie: createKelpie({ apiKey, baseUrl: api.url }),
      receiver: { url: `${receiver.url}/hooks`, secret, webhookId: place.webhookId },
      placeFile: placeFile(folder, ['followed']),
      report: {
        forwarded({ sequence }) {
          said.push(`forwarded ${sequence}`);
          if (sequence === 6) stop.abort();
        },
        refused: ({ sequence }, { status }) => void said.push(`refused ${sequence} ${status}`),
        unreachable: () => void said.push('unreachable'),
        expired: (from, to) => void said.push(`expired ${from} to ${to}`),
      },
    },
    place,
    stop.signal,
  );
  assert.deepEqual(said, ['expired 3 to 4', 'refused 5 307', 'forwarded 5', 'forwarded 6']);
  assert.deepEqual([end.sequence, placeFile(folder, ['followed']).read()?.sequence], [6, 6]);
  assert(api.asked.every(({ path: asked }) => asked === '/v1/events'));
  const [, , last] = receiver.asked;
  const body = JSON.stringify(last?.body);
  const { webhook, sequence } = await verifyWebhook({ headers: last?.headers ?? {}, body }, secret);
  assert.deepEqual([sequence, webhook], [6, { id: place.webhookId, previous_sequence: 5 }]);
});

test('a key that is refused ends it', async () => {
  const api = await startStandInApi();
  api.answer(() => ({ status: 401, json: { error: { code: 'unauthorized', message: 'No.' } } }));
  const report = { forwarded() {}, refused() {}, unreachable() {}, expired() {} };
  const kelpie = createKelpie({ apiKey, baseUrl: api.url });
  const receiver = { url: api.url, secret: signingSecret(apiKey), webhookId: 'id' };
  const listening = { kelpie, receiver, placeFile: placeFile(folder, ['refused']), report };
  await assert.rejects(followEvents(listening, newPlace(0), new AbortController().signal), { code: 'unauthorized' });
});
