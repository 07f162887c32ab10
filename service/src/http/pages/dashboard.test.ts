import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { addDashboardRoutes } from './dashboard.ts';
import { createServer } from '../server.ts';

const script = `console.log('${'wave '.repeat(200)}');`;
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-dashboard-'));
mkdirSync(path.join(folder, 'dist/assets'), { recursive: true });
writeFileSync(path.join(folder, 'secret.txt'), 'not to be served');
writeFileSync(path.join(folder, 'dist/index.html'), '<!doctype html><title>Kelpie</title>');
writeFileSync(path.join(folder, 'dist/theme.js'), script);
writeFileSync(path.join(folder, 'dist/theme.js.br'), brotliCompressSync(script));
writeFileSync(path.join(folder, 'dist/theme.js.gz'), gzipSync(script));
writeFileSync(path.join(folder, 'dist/assets/index-a1b2c3.js'), script);
writeFileSync(path.join(folder, 'dist/assets/inter-a1b2c3.woff2'), 'a font');

async function serve(files: string): Promise<string> {
  const { app, finish } = createServer({
    clock: systemClock,
    logger: createLogger('test', 'silent'),
    meter: createMetrics().meter,
    supportEmail: 'support@kelpie.example',
    retryAfterSeconds: () => 1,
  });
  addDashboardRoutes(app, files);
  finish();
  await app.listen({ host: '127.0.0.1', port: 0 });
  after(async () => app.close());
  const [address] = app.addresses();
  assert(typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

const url = await serve(path.join(folder, 'dist'));
after(() => rmSync(folder, { recursive: true }));

/** As it is on the wire: fetch would take the encoding and the dots of an address away. */
async function ask(
  address: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { path: address, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject).end();
  });
}

test('every page is the same file, is asked for anew each time, and may run no script of its own', async () => {
  for (const address of ['/dashboard/', '/dashboard/sandbox/payouts', '/dashboard/live/payouts/0199?x=1.2']) {
    const { status, headers, body } = await ask(address);
    assert.equal(status, 200, address);
    assert.match(body.toString(), /<title>Kelpie/);
    assert.equal(headers['cache-control'], 'no-cache');
    const policy = headers['content-security-policy'];
    assert(typeof policy === 'string');
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|data:|\*/);
  }
});

test('a file whose name says what is in it is kept for a year; the others are looked at again', async () => {
  const asset = await ask('/dashboard/assets/index-a1b2c3.js');
  assert.equal(asset.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(asset.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(asset.headers['x-content-type-options'], 'nosniff');
  assert.equal((await ask('/dashboard/theme.js')).headers['cache-control'], 'no-cache');
});

test('a browser gets a file in the smallest form that it can read, and a font as it is', async () => {
  const plain = await ask('/dashboard/theme.js');
  const small = await ask('/dashboard/theme.js', { 'accept-encoding': 'gzip, deflate, br' });
  const older = await ask('/dashboard/theme.js', { 'accept-encoding': 'gzip' });
  const unwilling = await ask('/dashboard/theme.js', { 'accept-encoding': 'br;q=0, gzip;q=0.5' });
  assert.deepEqual(
    [plain, small, older, unwilling].map(({ headers }) => headers['content-encoding']),
    [undefined, 'br', 'gzip', 'gzip'],
  );
  assert.equal(brotliDecompressSync(small.body).toString(), script);
  assert.equal(gunzipSync(older.body).toString(), script);
  assert(small.body.length < plain.body.length / 2);
  const font = await ask('/dashboard/assets/inter-a1b2c3.woff2', { 'accept-encoding': 'br' });
  assert.deepEqual([font.headers['content-encoding'], font.headers['content-type']], [undefined, 'font/woff2']);
});

test('who has a file already is told so', async () => {
  const { headers } = await ask('/dashboard/theme.js', { 'accept-encoding': 'br' });
  const again = await ask('/dashboard/theme.js', { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' });
  assert.deepEqual([again.status, again.body.length], [304, 0]);
});

test('no address leads out of the folder', async () => {
  for (const address of [
    '/dashboard/../secret.txt',
    '/dashboard/%2e%2e/secret.txt',
    '/dashboard/..%2fsecret.txt',
    '/dashboard/assets/../../secret.txt',
    '/dashboard//etc/passwd.txt',
    '/dashboard/assets/none-a1b2c3.js',
    '/dashboard/theme.js.br',
  ]) {
    const { status, body } = await ask(address);
    assert.equal(status, 404, address);
    assert.doesNotMatch(body.toString(), /not to be served/);
  }
});

test('the address without its slash leads to the one with it, and nothing is written there', async () => {
  const { status, headers } = await ask('/dashboard');
  assert.deepEqual([status, headers.location], [308, '/dashboard/']);
  assert.equal((await ask('/dashboard/', {}, 'POST')).status, 405);
});

test('an api without a built dashboard has no such pages', async () => {
  const bare = await serve(path.join(folder, 'none'));
  assert.equal((await fetch(`${bare}/dashboard/`)).status, 404);
});
