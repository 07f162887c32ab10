import { expect, type Page } from '@playwright/test';
import { grace, heldAccount, orderPayout } from '../paying.ts';
import { signUp } from '../people.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

async function detailsAreShown(page: Page): Promise<void> {
  await heading('Top-ups')(page);
  await expect(page.getByText('Account number', { exact: true })).toBeVisible();
}

test('what only a sandbox has: test steps, test money, answers of the bank', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await page.goto('sandbox/deposits');
  await detailsAreShown(page);
  const address = `sandbox/payouts/${await orderPayout(page, { ...grace, ...heldAccount })}`;
  await shoot(page, [
    {
      name: 'deposits-test-money',
      address: 'sandbox/deposits',
      ready: detailsAreShown,
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Add test money' }).click();
        await at.getByRole('dialog').getByRole('button', { name: 'Add test money' }).click();
        await expect(at.getByText(/USDC credited/)).toBeVisible();
      },
    },
    { name: 'deposits-sandbox', address: 'sandbox/deposits', ready: detailsAreShown },
    { name: 'payout-test-steps', address, ready: heading(/£25.00/) },
    {
      name: 'payout-return',
      address,
      ready: heading(/£25.00/),
      prepare: async (at) => at.getByRole('button', { name: 'Return payout…' }).click(),
    },
    {
      name: 'developers-bank',
      address: 'sandbox/developers',
      ready: heading('Developers'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Set answers' }).click();
        await expect(at.getByText('Set: lost for the next payout.')).toBeVisible();
      },
    },
  ]);
});
