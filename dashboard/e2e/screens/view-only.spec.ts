import { expect } from '@playwright/test';
import { newAddress, signIn, signUp } from '../people.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

test('the pages of somebody with several accounts, who only looks', async ({ page, browser }) => {
  test.setTimeout(patienceMs);
  const { email } = await signUp(page);
  await signUp(page, 'Harbour Books', { email, number: 2 });
  await shoot(page, [{ name: 'accounts', address: 'accounts', ready: heading('Choose an account') }]);
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  const viewer = newAddress('vera');
  await page.getByLabel('Work email').fill(viewer);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('cell', { name: viewer }).first()).toBeVisible();
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, viewer);
  await shoot(theirs, [
    { name: 'viewer-overview', address: 'sandbox', ready: heading('Overview') },
    { name: 'viewer-keys', address: 'sandbox/keys', ready: heading('API keys') },
    { name: 'viewer-settings', address: 'sandbox/settings', ready: heading('Settings') },
    { name: 'viewer-new-payout', address: 'sandbox/payouts/new', ready: heading('New payout') },
  ]);
});
