import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createMetrics, durationBuckets } from './metrics.ts';

const metrics = createMetrics();
const { port } = await metrics.listen({ host: '127.0.0.1', port: 0 });
after(async () => metrics.close());

async function scrape(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

let observed: { value: number; pool: string }[] = [];
metrics.meter.createObservableGauge('test_gauge').addCallback(async (gauge) => {
  // As one that has to be read first.
  await new Promise(setImmediate);
  for (const { value, pool } of observed) gauge.observe(value, { pool });
});

test('a gauge that is no longer observed is left out, and not published as it was last', async () => {
  observed = [
    { value: 1, pool: 'a' },
    { value: 2, pool: 'b' },
  ];
  assert.match(await scrape(), /test_gauge\{pool="a"\} 1\ntest_gauge\{pool="b"\} 2/);
  observed = [{ value: 3, pool: 'b' }];
  const text = await scrape();
  assert.match(text, /test_gauge\{pool="b"\} 3/);
  assert.doesNotMatch(text, /pool="a"/);
});

test('readers at the same moment all get every gauge', async () => {
  observed = [{ value: 4, pool: 'a' }];
  const texts = await Promise.all(Array.from({ length: 8 }, scrape));
  for (const text of texts) assert.match(text, /test_gauge\{pool="a"\} 4/);
});

test('a histogram has the buckets that it was made with', async () => {
  const histogram = metrics.meter.createHistogram('test_duration_seconds', { advice: durationBuckets });
  histogram.record(0.03, { route: '/v1' });
  const text = await scrape();
  assert.match(text, /test_duration_seconds_bucket\{route="\/v1",le="0.025"\} 0/);
  assert.match(text, /test_duration_seconds_bucket\{route="\/v1",le="0.05"\} 1/);
  assert.match(text, /test_duration_seconds_count\{route="\/v1"\} 1/);
});

test('other pages answer with their status, and what is none of them with 404', async () => {
  metrics.addPage('/healthz', () => ({ status: 503, body: { status: 'failing', failing: ['sweep'] } }));
  const page = await fetch(`http://127.0.0.1:${port}/healthz`);
  assert.equal(page.status, 503);
  assert.deepEqual(await page.json(), { status: 'failing', failing: ['sweep'] });
  assert.equal((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status, 404);
});
