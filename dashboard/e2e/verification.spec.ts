import { expect, test } from '@playwright/test';
import { signUp } from './people.ts';

test('the bank sends a person back to the compliance page, screening is clear then, and an empty wallet leads to a top-up', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('live/compliance');
  const screening = page.getByText('Business screening').locator('..');
  await expect(screening).toContainText('Starts when you start verification');
  await page.getByRole('button', { name: 'Start verification' }).click();
  await page.getByRole('link', { name: 'Continue verification' }).click();
  await expect(page).toHaveURL(/\/verify\//);
  for (const step of ['accept-terms', 'approve']) await page.locator(`form[action$="/${step}"] button`).click();
  await expect(page).toHaveURL(/\/dashboard\/live\/compliance$/);
  await expect(page.getByRole('heading', { name: 'Compliance' })).toBeVisible();
  await expect(screening).toContainText('Clear');

  await page.getByRole('link', { name: 'Go to live' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Wallet' }).getByText('0.00 USDC', { exact: true })).toBeVisible();
  await expect(page.getByText('Your wallet is empty. Top it up to send your first payout.')).toBeVisible();
  await page.getByRole('link', { name: 'Top up wallet' }).first().click();
  await expect(page.getByRole('heading', { name: 'Top-ups' })).toBeVisible();
});
