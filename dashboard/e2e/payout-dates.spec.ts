import { expect, test } from '@playwright/test';
import { fillPayout, grace, isAtPayout } from './paying.ts';
import { signUp } from './people.ts';

test('dates are typed by keyboard, and narrow the list once they are whole', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  await page.goto('sandbox/payouts?period=dates');
  const row = page.getByRole('table', { name: 'Payouts' }).getByRole('row').nth(1);
  await expect(row).toBeVisible();
  await page.getByLabel('From').click();
  await page.keyboard.type('01022099');
  await expect(page).toHaveURL(/from=2099-\d\d-\d\d$/);
  await expect(page.getByText('No payouts match these filters')).toBeVisible();

  // Neither what is no date nor a year that nobody paid in reaches the API.
  await page.goto('sandbox/payouts?period=dates&from=2026-02-31&to=9999-01-01');
  await expect(row).toBeVisible();
  await expect(page.getByLabel('From')).toHaveValue('');
});
