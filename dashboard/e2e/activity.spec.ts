import { expect, test } from '@playwright/test';
import { topUp } from './live.ts';
import { fillPayout, grace, isAtPayout, orderPayout } from './paying.ts';
import { signUp } from './people.ts';

test('Activity calls a refused payout refused, with the reason, and a credited top-up no failure', async ({ page }) => {
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  // The form blocks Send when the wallet is short, so this one goes past it.
  await orderPayout(page, { ...grace, amount: '19000.00' }).catch(() => undefined);
  const sent = { amountGbp: '800.00', from: 'Tideway Coffee Ltd', reference: 'Float' };
  await topUp({ slug, environment: 'sandbox' }, sent);
  const exported = page.waitForEvent('download');
  await page.goto('sandbox/payouts');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  await exported;

  await page.goto('sandbox/activity');
  const rows = page.getByRole('table', { name: 'Activity' }).getByRole('row');
  const refused = rows.filter({ hasText: 'Payout refused' });
  await expect(refused).toContainText('Not enough USDC in the wallet');
  await expect(rows.filter({ hasText: 'Payout created' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'Payouts exported as CSV' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'Top-up credited' })).toHaveCount(1);

  await page.getByLabel('Filter').selectOption('failed');
  await expect(refused).toHaveCount(1);
  await expect(rows.filter({ hasText: 'Top-up credited' })).toHaveCount(0);
});
