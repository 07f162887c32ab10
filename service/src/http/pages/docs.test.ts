import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { createServer, type Server } from '../server.ts';
import { addDocsRoutes } from './docs.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-docs-'));
mkdirSync(path.join(folder, 'dist/assets'), { recursive: true });
writeFileSync(path.join(folder, 'secret.txt'), 'not to be served');
writeFileSync(path.join(folder, 'dist/index.html'), '<!doctype html><title>Kelpie docs</title>');
writeFileSync(path.join(folder, 'dist/quickstart.html'), '<!doctype html>curl https://api.kelpie.example/v1/payouts');
writeFileSync(path.join(folder, 'dist/quickstart.md'), 'Write to support@kelpie.example');
writeFileSync(path.join(folder, 'dist/llms.txt'), '# Kelpie docs: https://api.kelpie.example/docs');
writeFileSync(path.join(folder, 'dist/assets/page-a1b2c3.js'), '0');
after(() => rmSync(folder, { recursive: true }));

const limitOpen: Parameters<typeof addDocsRoutes>[1]['limitOpen'] = (_request, _reply, done) => done();

function open(built: string): Server {
  const { app, finish } = createServer({
    clock: systemClock,
    logger: createLogger('test', 'silent'),
    meter: createMetrics().meter,
    supportEmail: 'help@partner.test',
    retryAfterSeconds: () => 1,
  });
  const own = { publicUrl: 'https://pay.partner.test', supportEmail: 'help@partner.test' };
  addDocsRoutes(app, { folder: path.join(folder, built), ...own, limitOpen });
  finish();
  after(async () => app.close());
  return app;
}

const app = open('dist');

test('a page has an origin of its own, runs only scripts of ours, and calls no API', async () => {
  for (const address of ['/docs', '/docs/', '/docs/quickstart?x=1', '/docs/quickstart.md', '/llms.txt']) {
    const { statusCode, headers } = await app.inject(address);
    assert.equal(statusCode, 200, address);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^sandbox /);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /same-origin|unsafe|\*/);
    assert.match(policy, /connect-src https:\/\/pay\.partner\.test\/robots\.txt;/);
    // With both, a browser refuses the page.
    assert.equal(headers['cross-origin-opener-policy'], undefined);
  }
});

test('a page without an origin may load the files of the docs', async () => {
  const { headers } = await app.inject('/docs/assets/page-a1b2c3.js');
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('the addresses in the pages are those of this installation', async () => {
  assert.match((await app.inject('/docs/quickstart')).body, /curl https:\/\/pay\.partner\.test\/v1\/payouts/);
  assert.equal((await app.inject('/docs/quickstart.md')).body, 'Write to help@partner.test');
  assert.match((await app.inject('/docs/llms.txt')).body, /pay\.partner\.test/);
});

test('a page is compressed for a browser that can read it, and answered by 304 to one that has it', async () => {
  const plain = await app.inject('/docs/quickstart');
  const small = await app.inject({ url: '/docs/quickstart', headers: { 'accept-encoding': 'gzip, br' } });
  assert.equal(small.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(small.rawPayload).toString(), plain.body);
  const again = await app.inject({ url: '/docs/quickstart', headers: { 'if-none-match': String(plain.headers.etag) } });
  assert.equal(again.statusCode, 304);
});

test('crawlers find the docs and nothing else', async () => {
  assert.match((await app.inject('/robots.txt')).body, /Allow: \/docs\n[^]*Disallow: \/\n/);
});

test('no address leads out of the folder', async () => {
  for (const address of ['/docs/none', '/docs/../secret.txt', '/docs/%2e%2e/secret.txt', '/docs/..%2fsecret.txt'])
    assert.equal((await app.inject(address)).statusCode, 404, address);
});

test('without built pages, /docs leads to the reference', async () => {
  const { statusCode, headers } = await open('none').inject('/docs');
  assert.deepEqual([statusCode, headers.location], [307, '/docs/reference']);
});
