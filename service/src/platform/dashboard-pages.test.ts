import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { dashboardPages } from './dashboard-pages.ts';

/** The routes below an environment, as the dashboard's router has them. */
function routes(): string[] {
  const app = readFileSync(`${projectFolder}/dashboard/src/app.tsx`, 'utf8');
  return Array.from(app.matchAll(/<Route path="([^":]+(?:\/:id)?)"/g), ([, path = '']) => path);
}

test('every page that an email or the bank links to is a page of the dashboard', () => {
  const known = routes();
  const { invoice, payout, notMe, confirmAddress, ...others } = dashboardPages;
  assert.deepEqual([invoice('7'), payout('sandbox', '7')], ['/live/invoices/7', '/sandbox/payouts/7']);
  assert.deepEqual([notMe('token'), confirmAddress('token')], ['/not-me#token', '/confirm-address#token']);
  for (const route of ['invoices/:id', 'payouts/:id', 'not-me', 'confirm-address'])
    assert(known.includes(route), known.join(' '));
  for (const [name, page] of Object.entries(others)) {
    const [, environment, route = ''] = page('sandbox').split('/');
    assert.equal(environment, 'sandbox');
    assert(known.includes(route), `${name}: ${route} is none of ${known.join(' ')}`);
  }
});
