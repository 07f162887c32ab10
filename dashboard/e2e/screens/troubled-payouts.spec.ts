import { expect, type Page } from '@playwright/test';
import { controlPayoutAtBank } from '../bank.ts';
import { answerSending, fillPayout, grace, orderPayout } from '../paying.ts';
import { signUp } from '../people.ts';
import { heading, patienceMs, shoot, take, test } from './shoot.ts';

function isNow(status: string) {
  return async (page: Page): Promise<void> => {
    await heading(/£25.00/)(page);
    await expect(page.getByRole('status').getByText(status, { exact: true })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Ledger' })).toBeVisible();
  };
}

async function askToCancel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel payout' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
}

test('what is shown of payouts that do not simply arrive', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  const held = await orderPayout(page, grace);
  await controlPayoutAtBank('sandbox', held, { act: 'hold', state: 'awaiting_funds' });
  const undelivered = await orderPayout(page, { ...grace, lastName: 'Kelly' });
  await controlPayoutAtBank('sandbox', undelivered, { act: 'fail' });
  const returned = await orderPayout(page, { ...grace, lastName: 'Murray' });
  await page.goto(`sandbox/payouts/${returned}`);
  await isNow('Completed')(page);
  await controlPayoutAtBank('sandbox', returned, { act: 'return' });
  const address = `sandbox/payouts/${held}`;
  await shoot(page, [
    { name: 'payout-returned', address: `sandbox/payouts/${returned}`, ready: isNow('Returned') },
    { name: 'payout-undelivered', address: `sandbox/payouts/${undelivered}`, ready: isNow('Failed') },
    { name: 'payout-processing', address, ready: isNow('Processing') },
    { name: 'payout-cancel', address, ready: isNow('Processing'), prepare: askToCancel },
    {
      name: 'payout-cancelled',
      address,
      ready: isNow('Processing'),
      prepare: async (at) => {
        await askToCancel(at);
        await at.getByRole('button', { name: 'Cancel £25.00' }).click();
        await isNow('Cancelled')(at);
        await expect(at.getByRole('dialog')).toHaveCount(0);
      },
    },
  ]);
});

test('what is shown where it is not known whether a payout was made', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await answerSending(page, 'sandbox', ['lost before it arrived']);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText("We don't know whether the payout was created.")).toBeVisible();
  await take(page, { name: 'new-payout-unknown' });
  // The browser asks whether one really wants to leave.
  page.once('dialog', (dialog) => void dialog.accept());
  await shoot(page, [
    {
      name: 'new-payout-left',
      address: 'sandbox/payouts/new',
      ready: async (at) => expect(at.getByText("We don't know whether your last payout was created.")).toBeVisible(),
    },
  ]);
});
