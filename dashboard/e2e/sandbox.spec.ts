import { expect, test, type Page } from '@playwright/test';
import { grace, heldAccount, orderPayout } from './paying.ts';
import { signUp } from './people.ts';

/** A new sandbox has its bank within seconds, and with it an account for top-ups. */
async function signUpWithBank(page: Page): Promise<void> {
  await signUp(page);
  await page.goto('sandbox/deposits');
  await expect(page.getByText('Account number', { exact: true })).toBeVisible({ timeout: 60_000 });
}

async function openHeldPayout(page: Page): Promise<void> {
  const id = await orderPayout(page, { ...grace, ...heldAccount });
  await page.goto(`sandbox/payouts/${id}`);
  await isNow(page, 'Processing');
}

async function isNow(page: Page, status: string): Promise<void> {
  await expect(page.getByRole('status').getByText(status, { exact: true })).toBeVisible();
}

test('test money is in the wallet once the dialog says so, and listed as a top-up', async ({ page }) => {
  await signUpWithBank(page);
  await page.getByRole('button', { name: 'Add test money' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add test money' });
  await dialog.getByLabel('Amount').fill('0.50');
  await expect(dialog.getByText('Enter an amount from 1.00 to 100,000.00.')).toBeVisible();
  await dialog.getByLabel('Amount').fill('800');
  await dialog.getByRole('button', { name: 'Add test money' }).click();
  await expect(dialog.getByText('997.50 USDC credited.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('table', { name: 'Top-ups' }).getByText('997.50 USDC')).toBeVisible();
  await page.goto('sandbox');
  await expect(page.getByText('10,997.50')).toBeVisible();
});

test('an admin steps test payouts to the end that they choose', async ({ page }) => {
  await signUpWithBank(page);
  await openHeldPayout(page);
  await page.getByRole('button', { name: 'Advance payout' }).click();
  await isNow(page, 'Completed');
  await expect(page.getByRole('button', { name: 'Advance payout' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Return payout…' }).click();
  await page.getByLabel('Failure code').selectOption('name_mismatch');
  await page.getByRole('dialog').getByRole('button', { name: 'Return payout' }).click();
  await isNow(page, 'Returned');
  await expect(page.getByText('The name does not match the name on the account.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Test steps' })).toHaveCount(0);

  await openHeldPayout(page);
  await page.getByRole('button', { name: 'Hold payout' }).click();
  await expect(page.getByText('On hold.')).toBeVisible();
  await page.getByRole('button', { name: 'Fail payout…' }).click();
  await page.getByLabel('Failure code').selectOption('account_closed');
  await page.getByRole('dialog').getByRole('button', { name: 'Fail payout' }).click();
  await isNow(page, 'Failed');
  await expect(page.getByText("The recipient's account is closed.")).toBeVisible();
  await expect(page.getByText('The money is back in your wallet. There is no charge.')).toBeVisible();
});

test("the bank's next answers are chosen under Developers", async ({ page }) => {
  await signUpWithBank(page);
  await page.goto('sandbox/developers');
  await page.getByLabel('Answer').selectOption('lost');
  await page.getByRole('button', { name: 'Set answers' }).click();
  await expect(page.getByText('Set: lost for the next payout.')).toBeVisible();
  const id = await orderPayout(page, grace);
  const history = async (): Promise<string> =>
    page.evaluate(async (of) => (await fetch(`/v1/payouts/${of}/history?environment=sandbox`)).text(), id);
  expect(await history()).toContain('"pending"');
  await page.goto(`sandbox/payouts/${id}`);
  await isNow(page, 'Completed');
});
