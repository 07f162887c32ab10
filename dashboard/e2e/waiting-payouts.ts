import { expect, type Browser, type Page } from '@playwright/test';
import { doConfirmed } from './confirming.ts';
import { fillPayout, grace } from './paying.ts';
import { inviteAdmin, newAddress, signIn, signUp } from './people.ts';

/**
 * A sandbox in which Ada asked for these payouts, and a rule holds each back for another admin.
 * Ends with Ada's page, and with Bea signed in on one of her own.
 */
export async function askForPayouts(
  page: Page,
  browser: Browser,
  amounts: readonly string[],
): Promise<{ bea: Page; email: string }> {
  const { email } = await signUp(page);
  const colleague = newAddress('bea');
  await inviteAdmin(page, { email: colleague, by: email });
  await page.goto('sandbox/security');
  await page.getByRole('button', { name: 'Change rules' }).click();
  await page.getByLabel('Payouts above').fill('5.00');
  await doConfirmed(page, { email, button: 'Save rules' });
  for (const amount of amounts) {
    await fillPayout(page, 'sandbox', { ...grace, amount });
    await page.getByRole('button', { name: `Send £${amount}` }).click();
    await expect(page.getByText(/Another admin has to approve this payout/)).toBeVisible();
  }
  const bea = await (await browser.newContext()).newPage();
  await signIn(bea, colleague);
  return { bea, email };
}
