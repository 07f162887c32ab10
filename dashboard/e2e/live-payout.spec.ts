import { expect, test } from '@playwright/test';
import { openLive } from './live.ts';
import { mailedCode } from './mail.ts';
import { answerSending, countPaid, fillPayout, grace, isAtPayout, watchSent } from './paying.ts';
import { signUp } from './people.ts';

test('a live payout goes once the code from the mail confirms it, and looks like nothing in the sandbox', async ({
  page,
}) => {
  const { email, slug } = await signUp(page);
  await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Live' }).click();
  await expect(page.getByText('Live is not available yet')).toBeVisible();
  await openLive(page, slug);

  await page.goto('live');
  await expect(page.getByRole('region', { name: 'Wallet' }).getByText('4,987.50')).toBeVisible();
  await expect(page.getByText('Sandbox: no real money moves')).toHaveCount(0);
  await expect(page).toHaveTitle('Overview · Live · Kelpie');

  await fillPayout(page, 'live', { ...grace, amount: '120' });
  await expect(page.getByText('This moves real money.')).toBeVisible();
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  // The amount and the name once more, before the code is asked for.
  await expect(page.getByText(/It confirms £120\.00 of real money to Grace Hopper/)).toBeVisible();
  // The first code was the one of the sign-up.
  const code = await mailedCode(email, 2);
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  await page.getByLabel('6-digit code').fill(wrong);
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  await expect(page.getByText('That code is wrong or has expired.')).toBeVisible();

  await page.getByLabel('6-digit code').fill(code);
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Ledger' }).getByText('Fee added to invoice')).toBeVisible();

  await page.goto('sandbox/payouts');
  await expect(page.getByText('Sandbox: no real money moves').first()).toBeVisible();
  await expect(page.getByText('No payouts yet')).toBeVisible();
});

test('a live payout whose answer got lost goes once, whether it had arrived or not, and only the newest code sends it', async ({
  page,
}) => {
  const { email, slug } = await signUp(page);
  await openLive(page, slug);
  const sent = watchSent(page);
  const code = page.getByLabel('6-digit code');
  const send = page.getByRole('button', { name: 'Send £120.00' });
  const unknown = page.getByText("We don't know whether the payout was created.");
  const again = page.getByRole('button', { name: 'Retry the same payout' });

  // It was made, and nobody was told: the same again finds it, without another code.
  await fillPayout(page, 'live', { ...grace, amount: '120' });
  await answerSending(page, 'live', ['as it is', 'lost after it was done']);
  await send.click();
  // The first code was the one of the sign-up.
  await code.fill(await mailedCode(email, 2));
  await send.click();
  await expect(unknown).toBeVisible();
  await expect(page.getByText('No money moved')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Edit payout' })).toBeDisabled();
  await again.click();
  await isAtPayout(page);
  expect(await countPaid(page, 'live')).toBe(1);
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);

  // It never arrived: the same again is asked for a code anew, and stays the same.
  sent.length = 0;
  await page.unrouteAll();
  await fillPayout(page, 'live', { ...grace, amount: '120' });
  await answerSending(page, 'live', ['as it is', 'lost before it arrived']);
  await send.click();
  await code.fill(await mailedCode(email, 3));
  await send.click();
  await expect(unknown).toBeVisible();
  await again.click();
  const replaced = await mailedCode(email, 4);
  await expect(code).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit payout' })).toBeDisabled();
  await page.getByRole('button', { name: 'Email a new code' }).click();
  const newest = await mailedCode(email, 5);
  // While it is asked for, and after, this is still the step of the code.
  await expect(code).toBeVisible();
  await code.fill(replaced);
  await send.click();
  await expect(page.getByText('That code is wrong or has expired.')).toBeVisible();
  await code.fill(newest);
  await send.click();
  await isAtPayout(page);
  expect(await countPaid(page, 'live')).toBe(2);
  expect(sent).toHaveLength(6);
  expect(new Set(sent).size).toBe(1);
});
