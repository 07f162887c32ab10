import { expect } from '@playwright/test';
import { askForPayouts } from '../waiting-payouts.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

test('payouts that wait for another admin, and the rules', async ({ page, browser }) => {
  test.setTimeout(patienceMs);
  const { bea } = await askForPayouts(page, browser, ['25.00', '30.00']);
  await shoot(bea, [
    { name: 'approvals', address: 'sandbox/approvals', ready: heading('Approvals') },
    {
      name: 'approval',
      address: 'sandbox/approvals',
      ready: async (of) => {
        await of.getByRole('button', { name: /£25\.00/ }).click();
        await expect(of.getByRole('button', { name: 'Approve payout' })).toBeVisible();
      },
    },
    { name: 'approval-rules', address: 'sandbox/security', ready: heading('Security') },
    {
      name: 'approval-rules-change',
      address: 'sandbox/security',
      ready: async (of) => {
        await of.getByRole('button', { name: 'Change rules' }).click();
        await expect(of.getByRole('button', { name: 'Save rules' })).toBeVisible();
      },
    },
  ]);
});
