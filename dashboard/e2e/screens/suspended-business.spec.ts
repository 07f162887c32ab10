import { expect } from '@playwright/test';
import { operate } from '../operator.ts';
import { fillPayout, grace } from '../paying.ts';
import { signUp } from '../people.ts';
import { patienceMs, shoot, take, test } from './shoot.ts';

test('the pages of a business that is suspended', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await operate('partners', 'suspend', slug, '--reason', 'to be looked at');
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText('The payout was not sent.')).toBeVisible();
  await take(page, { name: 'suspended-refused' });
  await shoot(page, [
    {
      name: 'suspended-overview',
      address: 'sandbox',
      ready: async (at) => {
        await expect(at.getByText('Balance hidden while the account is suspended.')).toBeVisible();
        await expect(at.getByText('Do not send money to this account.')).toBeVisible();
        const support = at.getByRole('link', { name: 'Contact support' }).first();
        await expect(support).toHaveAttribute('href', /^mailto:\S+@\S+$/);
      },
    },
    {
      name: 'suspended-top-ups',
      address: 'sandbox/deposits',
      ready: async (at) => expect(at.getByText('Do not send money to this account.')).toBeVisible(),
    },
    {
      name: 'suspended-new-payout',
      address: 'sandbox/payouts/new',
      ready: async (at) => expect(at.getByText("This account can't send payouts")).toBeVisible(),
    },
    {
      name: 'suspended-settings',
      address: 'sandbox/settings',
      ready: async (at) => expect(at.getByText(/^Suspended/).first()).toBeVisible(),
    },
  ]);
});
