import { expect } from '@playwright/test';
import { signUp } from '../people.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

test('the pages of a business that has just begun', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await shoot(page, [
    { name: 'overview-empty', address: 'sandbox', ready: heading('Overview') },
    { name: 'payouts-empty', address: 'sandbox/payouts', ready: heading('Payouts') },
    { name: 'recipients-empty', address: 'sandbox/recipients', ready: heading('Recipients') },
    { name: 'keys-empty', address: 'sandbox/keys', ready: heading('API keys') },
    { name: 'live-not-open', address: 'live', ready: heading('Live') },
    { name: 'compliance-start', address: 'live/compliance', ready: heading('Compliance') },
    { name: 'invoices-empty', address: 'sandbox/invoices', ready: heading('Invoices') },
    { name: 'deposits-empty', address: 'sandbox/deposits', ready: heading('Top-ups') },
    {
      name: 'statement-empty',
      address: 'sandbox/statement',
      ready: heading('Statement'),
      prepare: async (at) => {
        await at.getByLabel('Month').selectOption({ index: 1 });
        await expect(at.getByText(/^No movements in/)).toBeVisible();
      },
    },
    {
      name: 'compliance-started',
      address: 'live/compliance',
      ready: heading('Compliance'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Start verification' }).click();
        await expect(at.getByRole('link', { name: 'Continue verification' })).toBeVisible();
      },
    },
  ]);
});

test('what is shown while figures come, and where they do not', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await page.route('**/v1/balance*', async (route) =>
    route.fulfill({
      status: 502,
      headers: { 'request-id': '019a8a11-5b1c-7d44-9c1e-3f5a7b9c0d12' },
      json: { error: { code: 'balance_unavailable', message: 'The balance is unavailable. Try again.' } },
    }),
  );
  await shoot(page, [
    {
      name: 'overview-trouble',
      address: 'sandbox',
      ready: async (at) => expect(at.getByText('The balance could not be loaded.')).toBeVisible(),
    },
  ]);
  await page.unroute('**/v1/balance*');
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
  await page.route(/\/v1\/(balance|usage|payouts|funding|compliance)/, async (route) => {
    await answered;
    await route.abort();
  });
  await shoot(page, [
    {
      name: 'overview-loading',
      address: 'sandbox',
      ready: async (at) => expect(at.getByRole('status', { name: 'Loading' }).first()).toBeVisible(),
      isLoading: true,
    },
  ]);
  answer(undefined);
  // None is broken off by the end of the test.
  await page.unrouteAll({ behavior: 'wait' });
});
