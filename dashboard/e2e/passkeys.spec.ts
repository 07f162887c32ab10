import { expect, test } from '@playwright/test';
import { addAuthenticator, addFirstPasskey, openAtLocalhost } from './authenticator.ts';
import { mailedCode } from './mail.ts';
import { signIn, signUp } from './people.ts';

test('a passkey signs in after the code and confirms changes, and once required a stolen mailbox gets nothing', async ({
  browser,
}) => {
  const page = await openAtLocalhost(browser);
  await addAuthenticator(page);
  const { email } = await signUp(page);
  await addFirstPasskey(page, { email, name: 'Laptop' });

  // No code: the passkey confirms it.
  await page.getByRole('button', { name: 'Require passkeys' }).click();
  await expect(page.getByText('This account requires a passkey of every member.')).toBeVisible();

  await page.context().clearCookies({ name: '__Host-kelpie_session' });
  await signIn(page, email, { number: 3 });

  const thief = await openAtLocalhost(browser);
  await thief.goto('sign-in');
  await thief.getByLabel('Work email').fill(email);
  await thief.getByRole('button', { name: 'Email me a code' }).click();
  const step = thief.waitForResponse((response) => response.url().includes('/v1/auth/passkey/options'));
  await thief.getByLabel('6-digit code').fill(await mailedCode(email, 4));
  // The code was right: Chromium now waits for a passkey that it does not have.
  expect((await step).status()).toBe(200);
  const read = await thief.evaluate(async () => (await fetch('/v1/members?environment=sandbox')).status);
  expect(read).toBe(401);
  await thief.goto('sandbox/security');
  await expect(thief.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
