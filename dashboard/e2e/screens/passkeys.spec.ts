import { expect } from '@playwright/test';
import { addAuthenticator, addFirstPasskey, openAtLocalhost } from '../authenticator.ts';
import { signUp } from '../people.ts';
import { patienceMs, take, test } from './shoot.ts';

test('the passkeys of a member, optional and required', async ({ browser }) => {
  test.setTimeout(patienceMs);
  const page = await openAtLocalhost(browser);
  await addAuthenticator(page);
  const { email } = await signUp(page);
  await addFirstPasskey(page, { email, name: 'Laptop' });
  await take(page, { name: 'passkeys-optional' });
  await page.getByRole('button', { name: 'Require passkeys' }).click();
  await expect(page.getByText('This account requires a passkey of every member.')).toBeVisible();
  await take(page, { name: 'passkeys-required' });
});
