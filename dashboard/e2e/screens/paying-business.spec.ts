import { expect } from '@playwright/test';
import { topUp } from '../live.ts';
import { fillPayout, grace, isAtPayout } from '../paying.ts';
import { newAddress, signUp } from '../people.ts';
import { plantPayouts } from '../planted-payouts.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

test('the pages of a business that pays', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  const completed = await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await fillPayout(page, 'sandbox', { ...grace, lastName: 'Rejected', accountNumber: '12340000' });
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  const failed = await isAtPayout(page);
  await topUp(
    { slug, environment: 'sandbox' },
    { amountGbp: '800.00', from: 'Tideway Coffee Ltd', reference: 'Float' },
  );
  await plantPayouts({ slug, count: 400, days: 27 });
  for (const label of ['Shop', 'Payroll']) {
    await page.goto('sandbox/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Label').fill(label);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I copied the key' }).click();
  }
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(newAddress('vera'));
  await page.getByLabel('Name', { exact: false }).last().fill('Vera Rubin');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await shoot(page, [
    { name: 'overview', address: 'sandbox', ready: heading('Overview') },
    {
      name: 'overview-table',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => at.getByRole('button', { name: 'Show table' }).click(),
    },
    { name: 'payouts', address: 'sandbox/payouts', ready: heading('Payouts') },
    {
      name: 'payouts-filtered',
      address: 'sandbox/payouts?status=failed,returned&period=30d',
      ready: heading('Payouts'),
    },
    { name: 'payouts-none-fit', address: 'sandbox/payouts?search=nowhere', ready: heading('Payouts') },
    { name: 'payout-completed', address: `sandbox/payouts/${completed}`, ready: heading(/£25.00/) },
    { name: 'payout-failed', address: `sandbox/payouts/${failed}`, ready: heading(/£25.00/) },
    {
      name: 'payout-missing',
      address: 'sandbox/payouts/01999999-aaaa-7bbb-8ccc-ddddeeeeffff',
      ready: heading('Payout'),
    },
    {
      name: 'new-payout',
      address: 'sandbox/payouts/new',
      ready: heading('New payout'),
      prepare: async (at) => {
        await at.getByLabel('Recipient receives').fill('1,250.50');
        await at.getByLabel('Reference').fill('Café Zoë invoice 2026/11');
        await expect(at.getByText('Wallet debit')).toBeVisible();
      },
    },
    {
      name: 'new-payout-mistakes',
      address: 'sandbox/payouts/new',
      ready: heading('New payout'),
      prepare: async (at) => at.getByRole('button', { name: 'Review payout' }).click(),
    },
    { name: 'recipients', address: 'sandbox/recipients', ready: heading('Recipients') },
    {
      name: 'new-payout-again',
      address: 'sandbox/recipients',
      ready: heading('Recipients'),
      prepare: async (at) => {
        await at.getByRole('link', { name: 'Pay again: Grace Hopper' }).first().click();
        await heading('New payout')(at);
        await at.getByLabel('Sort code').fill('0400');
        await at.getByLabel('Account number').fill('87654321');
      },
    },
    {
      name: 'deposits',
      address: 'sandbox/deposits',
      ready: heading('Top-ups'),
      prepare: async (at) =>
        expect(at.getByRole('table', { name: 'Top-ups' }).getByRole('row').nth(1)).toContainText('Credited'),
    },
    { name: 'statement', address: 'sandbox/statement', ready: heading('Statement') },
    { name: 'usage', address: 'sandbox/usage', ready: heading('Fees and usage') },
    { name: 'keys', address: 'sandbox/keys', ready: heading('API keys') },
    {
      name: 'keys-create',
      address: 'sandbox/keys',
      ready: heading('API keys'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Create key' }).click();
        await at.getByLabel('Label').fill('Tests');
        await at.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
        await expect(at.getByTestId('secret')).toBeVisible();
      },
    },
    {
      name: 'keys-revoke',
      address: 'sandbox/keys',
      ready: heading('API keys'),
      prepare: async (at) => at.getByRole('button', { name: 'Revoke Shop' }).click(),
    },
    { name: 'developers', address: 'sandbox/developers', ready: heading('Developers') },
    { name: 'team', address: 'sandbox/team', ready: heading('Team') },
    {
      name: 'team-invite',
      address: 'sandbox/team',
      ready: heading('Team'),
      prepare: async (at) => at.getByRole('button', { name: 'Invite member' }).click(),
    },
    {
      name: 'team-change',
      address: 'sandbox/team',
      ready: heading('Team'),
      prepare: async (at) => at.getByRole('button', { name: 'Edit Vera Rubin' }).click(),
    },
    { name: 'compliance', address: 'sandbox/compliance', ready: heading('Compliance') },
    { name: 'activity', address: 'sandbox/activity', ready: heading('Activity') },
    { name: 'settings', address: 'sandbox/settings', ready: heading('Settings') },
    { name: 'not-found', address: 'sandbox/nowhere', ready: heading('Page not found') },
    {
      name: 'menu',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => {
        await at.setViewportSize({ width: 390, height: 844 });
        await at.getByRole('button', { name: 'Menu' }).click();
      },
      width: 390,
    },
    {
      name: 'menu-person',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => {
        await at.setViewportSize({ width: 1440, height: 900 });
        await at.getByRole('button', { name: /Ada Byron/ }).click();
      },
      width: 1440,
    },
  ]);
});
