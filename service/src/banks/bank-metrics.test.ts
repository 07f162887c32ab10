import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createMetrics } from '../platform/metrics.ts';
import { createBankMetrics } from './bank-metrics.ts';

const metrics = createMetrics();
const { port } = await metrics.listen({ host: '127.0.0.1', port: 0 });
after(async () => metrics.close());
const watch = createBankMetrics(metrics.meter)('live');

async function scrape(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

function answered(status: number) {
  return { kind: 'answered', status, body: '' } as const;
}

test('a call is counted by what is known of it', async () => {
  for (const status of [200, 201]) watch.onExchange('send', answered(status), 20);
  for (const status of [400, 404, 422]) watch.onExchange('send', answered(status), 20);
  for (const status of [429, 500, 503]) watch.onExchange('send', answered(status), 20);
  watch.onExchange('send', { kind: 'lost', text: 'deadline' }, 4_500);
  watch.onExchange('send', { kind: 'not_sent', text: 'circuit open' }, 0);
  const text = await scrape();
  const counted = Object.fromEntries(
    ['ok', 'refused', 'unclear', 'unavailable'].map((outcome) => {
      const series = `kelpie_bank_request_duration_seconds_count{environment="live",operation="send",outcome="${outcome}"}`;
      return [
        outcome,
        text
          .split('\n')
          .find((line) => line.startsWith(series))
          ?.split(' ')[1],
      ];
    }),
  );
  assert.deepEqual(counted, { ok: '2', refused: '3', unclear: '4', unavailable: '1' });
});

test('a breaker is open until it closes, and the bank’s other calls do not close it', async () => {
  assert.match(await scrape(), /kelpie_bank_breaker_open\{environment="live"\} 0/);
  watch.onCircuit('send', true);
  watch.onCircuit('read', true);
  watch.onCircuit('read', false);
  assert.match(await scrape(), /kelpie_bank_breaker_open\{environment="live"\} 1/);
  watch.onCircuit('send', false);
  assert.match(await scrape(), /kelpie_bank_breaker_open\{environment="live"\} 0/);
});
