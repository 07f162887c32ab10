import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { createServer } from '../server.ts';

const lines: string[] = [];
const { app, finish } = createServer({
  clock: systemClock,
  logger: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
  meter: createMetrics().meter,
  supportEmail: 'support@kelpie.example',
  retryAfterSeconds: () => 7,
});
const late = Promise.withResolvers<{ done: boolean }>();
const failing = Promise.withResolvers<never>();
let ended = 0;
const hurried = { access: 'anybody', deadlineMs: 50 } as const;
async function untilEnded<Result>(work: Promise<Result>): Promise<Result> {
  return work.finally(() => (ended += 1));
}
app.get('/v1/late', { config: hurried }, async () => untilEnded(late.promise));
app.post('/v1/late', { config: hurried }, async () => untilEnded(failing.promise));
app.get(
  '/v1/waits-for-its-caller',
  { config: hurried, onRequest: async () => void (await late.promise) },
  async () => ({
    reached: (ended += 100),
  }),
);
app.get('/v1/in-time', { config: { access: 'anybody' } }, async () => ({ done: true }));
finish();
await app.listen({ host: '127.0.0.1', port: 0 });
after(async () => app.close());
const [address] = app.addresses();
assert(typeof address === 'object');
const url = `http://127.0.0.1:${address.port}`;

async function ask(path: string, method: 'GET' | 'POST' = 'GET') {
  const response = await fetch(url + path, { method });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

test('a request whose time is over is answered 503, whatever it waits for, and what comes later is thrown away', async () => {
  const read = await ask('/v1/late');
  assert.deepEqual([read.status, read.retryAfter], [503, '7']);
  assert.match(read.text, /"unavailable".*could not answer in time/);
  const write = await ask('/v1/late', 'POST');
  assert.equal(write.status, 503);
  assert.match(write.text, /may still take effect.*use the same Idempotency-Key/);
  assert.doesNotMatch(write.text, /[Nn]othing was/);
  assert.equal((await ask('/v1/waits-for-its-caller')).status, 503);
  const before = lines.length;
  late.resolve({ done: true });
  failing.reject(new Error('too late'));
  await eventually('both have ended', async () => ended >= 2);
  // One more request, so that whatever the first ones still log is there.
  assert.equal((await ask('/v1/in-time')).status, 200);
  assert.equal(ended, 2, 'the handler of a request that was answered is not begun');
  assert.deepEqual(
    lines.slice(before).filter((line) => !line.includes('request.done')),
    [],
  );
  assert(lines.some((line) => line.includes('"error_code":"request_deadline"')));
});
