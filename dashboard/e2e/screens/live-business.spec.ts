import { expect } from '@playwright/test';
import { controlPayoutAtBank } from '../bank.ts';
import { billMonthBefore } from '../billed-month.ts';
import { doConfirmed } from '../confirming.ts';
import { openLive } from '../live.ts';
import { mailedCode } from '../mail.ts';
import { fillPayout, grace, isAtPayout } from '../paying.ts';
import { signUp } from '../people.ts';
import { heading, patienceMs, shoot, take, test } from './shoot.ts';

test('the pages of live', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug, email } = await signUp(page);
  await openLive(page, slug);
  await billMonthBefore(slug);
  await fillPayout(page, 'live', { ...grace, amount: '120' });
  await take(page, { name: 'live-review' });
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  await expect(page.getByText(/of real money to/)).toBeVisible();
  await take(page, { name: 'live-confirm' });
  await page.getByLabel('6-digit code').fill(await mailedCode(email, 2));
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  const paid = await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await controlPayoutAtBank('live', paid, { act: 'return' });
  await expect(page.getByRole('status').getByText('Returned', { exact: true })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Ledger' }).getByText('Fee refunded').first()).toBeVisible();
  await take(page, { name: 'live-payout-returned' });
  await shoot(page, [
    { name: 'live-overview', address: 'live', ready: heading('Overview') },
    { name: 'live-payouts', address: 'live/payouts', ready: heading('Payouts') },
    { name: 'live-statement', address: 'live/statement', ready: heading('Statement') },
    {
      name: 'live-keys',
      address: 'live/keys',
      ready: heading('API keys'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Create key' }).click();
        await at.getByLabel('Label').fill('Shop');
        const copied = at.getByRole('button', { name: 'I copied the key' });
        await doConfirmed(at, { email, button: 'Create key', done: copied });
        await copied.click();
        await expect(at.getByRole('button', { name: 'Revoke Shop' })).toBeVisible();
      },
    },
    { name: 'live-compliance', address: 'live/compliance', ready: heading('Compliance') },
    { name: 'live-usage', address: 'live/usage', ready: heading('Fees and usage') },
    { name: 'live-deposits', address: 'live/deposits', ready: heading('Top-ups') },
    { name: 'live-invoices', address: 'live/invoices', ready: heading('Invoices') },
    {
      name: 'live-invoice',
      address: 'live/invoices',
      ready: heading('Invoices'),
      prepare: async (at) => {
        await at.getByRole('table', { name: 'Invoices' }).getByRole('link').first().click();
        await at.getByRole('button', { name: /Payout fees/ }).click();
        await expect(at.getByRole('table', { name: 'Invoice items' })).toBeVisible();
      },
    },
  ]);
});
