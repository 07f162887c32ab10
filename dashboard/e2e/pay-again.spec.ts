import { expect, test } from '@playwright/test';
import { controlPayoutAtBank } from './bank.ts';
import { fillPayout, grace, isAtPayout, orderPayout } from './paying.ts';
import { signUp } from './people.ts';

test('paying again carries amount, reference, address and bank, and asks for the account', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', { ...grace, accountNumber: '12340000' });
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  const filled = async (): Promise<void> => {
    await expect(page.getByLabel('Recipient receives')).toHaveValue('25.00');
    await expect(page.getByLabel('Reference')).toHaveValue('Order 42');
    await expect(page.getByLabel('First name')).toHaveValue('Grace');
    await expect(page.getByLabel('Street address')).toHaveValue('1 High Street');
    await expect(page.getByLabel('Postcode')).toHaveValue('LS1 1AA');
    await expect(page.getByLabel('Bank name')).toHaveValue('Example Bank');
    await expect(page.getByLabel('Account number')).toHaveValue('');
  };
  await page.getByRole('link', { name: 'Pay Grace Hopper again' }).click();
  await filled();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recipients' }).click();
  await page.getByRole('link', { name: 'Pay again: Grace Hopper' }).click();
  await filled();
  await page.getByLabel('Sort code').fill('040004');
  await page.getByLabel('Account number').fill('12345678');
  await page.getByRole('button', { name: 'Review payout' }).click();
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
});

test('a failed payout says that its money is on hold until the bank refunds it', async ({ page }) => {
  await signUp(page);
  const id = await orderPayout(page, grace);
  await controlPayoutAtBank('sandbox', id, { act: 'fail' });
  await page.goto(`sandbox/payouts/${id}`);
  await expect(page.getByRole('status').getByText('Failed')).toBeVisible();
  await expect(page.getByText(/^\d+\.\d\d USDC is still on hold\./)).toBeVisible();
  await expect(page.getByText('The money is back in your wallet.')).toHaveCount(0);
});
