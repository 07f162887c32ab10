import { expect } from '@playwright/test';
import { newAddress } from '../people.ts';
import { heading, patienceMs, shoot, test } from './shoot.ts';

test('the pages before one is signed in', async ({ page }) => {
  test.setTimeout(patienceMs);
  await shoot(page, [
    { name: 'sign-in', address: 'sign-in', ready: heading('Sign in') },
    { name: 'status', address: '/status', ready: heading(/operational|Degraded|Outage/) },
    { name: 'sign-up', address: 'sign-up', ready: heading('Create account') },
    { name: 'confirm-address', address: 'confirm-address#token', ready: heading('Confirm this email address') },
    { name: 'not-me', address: 'not-me#token', ready: heading('Freeze live payouts') },
    {
      name: 'not-me-expired',
      address: 'sign-in',
      ready: heading('Sign in'),
      prepare: async (at) => {
        await at.goto('not-me#token');
        await at.getByRole('button', { name: 'Freeze live payouts' }).click();
        await heading("This link doesn't work")(at);
      },
    },
    {
      name: 'sign-in-code',
      address: 'sign-in',
      ready: heading('Sign in'),
      prepare: async (at) => {
        await at.getByLabel('Work email').fill(newAddress('nobody'));
        await at.getByRole('button', { name: 'Email me a code' }).click();
        await expect(at.getByRole('heading', { name: 'Check your email' })).toBeVisible();
      },
    },
  ]);
});
