import { expect, test } from '@playwright/test';
import { askForPayouts } from './waiting-payouts.ts';

test('another admin approves and declines payouts by keyboard alone, and nobody approves their own', async ({
  page,
  browser,
}) => {
  const { bea } = await askForPayouts(page, browser, ['25.00', '30.00', '35.00']);

  await page.goto('sandbox/approvals');
  await page.getByRole('button', { name: /£25\.00/ }).click();
  await expect(page.getByText('You asked for this payout.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve payout' })).toHaveCount(0);

  await bea.goto('sandbox/approvals');
  const waiting = bea.getByRole('list', { name: 'Payouts that wait for approval' });
  const amounts = waiting.getByText(/^£\d+\.00$/);
  await expect(amounts).toHaveCount(3);
  const [first = '', second = '', third = ''] = await amounts.allTextContents();
  await waiting.getByRole('button').first().focus();
  await bea.keyboard.press('j');
  await bea.keyboard.press('a');
  await expect(bea.getByRole('dialog').getByText(second)).toBeVisible();
  await expect(bea.getByRole('button', { name: 'Approve payout' })).toBeFocused();
  await bea.keyboard.press('Enter');
  await expect(amounts).toHaveText([first, third]);

  await waiting.getByRole('button').first().focus();
  await bea.keyboard.press('d');
  await expect(bea.getByRole('button', { name: 'Decline payout' })).toBeFocused();
  await bea.keyboard.press('Enter');
  await expect(amounts).toHaveText([third]);

  await bea.goto('sandbox/payouts');
  await expect(bea.getByText(second).first()).toBeVisible();
  await expect(bea.getByText(first)).toHaveCount(0);
});
