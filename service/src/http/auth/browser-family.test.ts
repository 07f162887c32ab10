import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserFamily } from './browser-family.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

for (const [userAgent, family] of [
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/142.0.0.0 Safari/537.36 OPR/125.0.0.0`, 'Other on Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.5.0', 'curl'],
  ['node', 'Other'],
  ['<script>alert(1)</script>', 'Other'],
  [`${'x'.repeat(100_000)} Firefox/1`, 'Other'],
  ['', null],
  [' ', null],
  [undefined, null],
] as const)
  test(`${String(userAgent).slice(0, 60)} is shown as ${family}`, () => {
    assert.equal(browserFamily(userAgent), family);
  });
