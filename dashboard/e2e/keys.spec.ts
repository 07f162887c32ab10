import { expect, test } from '@playwright/test';
import { signUp } from './people.ts';
import { stack } from './stack.ts';

async function statusWith(secret: string): Promise<number> {
  return (await fetch(`${stack.url}/v1/balance`, { headers: { authorization: `Bearer ${secret}` } })).status;
}

test('a key is shown once, works, and is refused once it is revoked by typing its start', async ({ page }) => {
  await signUp(page);
  await page.goto('sandbox/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Label').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(secret).toMatch(/^kp_sandbox_[a-f0-9]{48}$/);
  // A slip of the finger does not take it away.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(page.getByTestId('secret')).toBeVisible();
  await page.getByRole('button', { name: 'I copied the key' }).click();
  await expect(page.getByTestId('secret')).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  expect(await statusWith(secret)).toBe(200);

  await page.getByRole('button', { name: 'Revoke Shop' }).click();
  const revoke = page.getByRole('button', { name: 'Revoke key' });
  await expect(revoke).toBeDisabled();
  await page.getByLabel('Key prefix').fill(secret.slice(0, 5));
  await expect(revoke).toBeDisabled();
  const start = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByLabel('Key prefix').fill(start);
  await revoke.click();
  await expect(page.getByText(/^Revoked/)).toBeVisible();
  await expect.poll(async () => statusWith(secret), { timeout: 2_000 }).toBe(401);
});

test('a key is restricted as it was asked for, and a roll leaves both secrets working', async ({ page }) => {
  await signUp(page);
  await page.goto('sandbox/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Label').fill('Shop');
  await page.getByLabel('Expires').selectOption('90');
  await page.getByLabel('Allowed networks').fill('127.0.0.0/8, 203.0.113.7');
  await page.getByLabel('Daily limit').fill('2,500');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const secret = page.getByTestId('secret');
  const first = (await secret.textContent()) ?? '';
  await page.getByRole('button', { name: 'I copied the key' }).click();
  await expect(
    page.getByText(/^Only from 127\.0\.0\.0\/8 and 203\.0\.113\.7.* · £2,500\.00 per day · Expires/),
  ).toBeVisible();

  await page.getByRole('button', { name: 'Roll Shop' }).click();
  await page.getByRole('button', { name: 'Roll key' }).click();
  await expect(page.getByText(/^The previous secret works until/)).toBeVisible();
  const second = (await secret.textContent()) ?? '';
  await page.getByRole('button', { name: 'I copied the key' }).click();
  await expect(page.getByText(/Previous secret kp_sandbox_.* works until/)).toBeVisible();
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
});
