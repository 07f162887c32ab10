import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { metricsAddressOf, readMetric } from '../harness/metrics.ts';
import { startWorld } from '../harness/world.ts';
import { register } from '../webhooks/endpoint.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };
assert(world.worker !== null);
const worker = await metricsAddressOf(world.worker);
const api = new URL(world.api.metricsUrl).origin;
const sandbox = { environment: 'sandbox' };

/** Of both processes: either may have done it. */
async function sum(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const found = await Promise.all([api, worker].map(async (address) => readMetric(address, name, labels)));
  return found.reduce<number>((total, one) => total + (one ?? 0), 0);
}

async function untilSum(name: string, labels: Readonly<Record<string, string>>, value: number): Promise<void> {
  await eventually(`${name} is ${value}`, async () => (await sum(name, labels)) === value);
}

test('each state of a payout is counted once, and how long its bank and its completion took is measured', async () => {
  await createPayout(client, payoutBody());
  await createPayout(client, payoutBody());
  await untilSum('kelpie_payouts_total', { ...sandbox, state: 'completed' }, 2);
  await untilSum('kelpie_payouts_total', { ...sandbox, state: 'sending' }, 2);
  await untilSum('kelpie_payouts_total', { ...sandbox, state: 'processing' }, 2);
  await untilSum('kelpie_payout_completion_seconds_count', sandbox, 2);
  const sent = { ...sandbox, operation: 'send', outcome: 'ok' };
  await untilSum('kelpie_bank_request_duration_seconds_count', sent, 2);
  assert.equal(await sum('kelpie_bank_breaker_open', sandbox), 0);
});

test('an event’s first attempt has its delay, and what the partner holds back has none', async () => {
  const receiver = await startReceiver();
  await register(client, receiver);
  await createPayout(client, payoutBody());
  await untilSum('kelpie_webhook_attempts_total', { outcome: 'delivered' }, 2);
  const first = await sum('kelpie_webhook_delay_seconds_count', sandbox);
  assert(first >= 1, `${first} delays`);
  assert((await sum('kelpie_webhook_delay_seconds_sum', sandbox)) < 10);
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await createPayout(client, payoutBody());
  await eventually('it failed', async () => (await sum('kelpie_webhook_attempts_total', { outcome: 'failed' })) >= 2);
  assert.equal(await sum('kelpie_webhook_delay_seconds_count', sandbox), first + 1);
});

test('the breaker is open in the process that stopped asking a bank that does not answer', async () => {
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_request' });
  for (let at = 0; at < 6; at += 1) await createPayout(client, payoutBody());
  await eventually('it is open', async () => (await readMetric(api, 'kelpie_bank_breaker_open', sandbox)) === 1);
  await world.bank.control('DELETE /faults');
});
