import { expect, test } from '@playwright/test';
import { signIn, signUp } from './people.ts';

test('a session is ended from the list, and both are in the security events', async ({ page, browser }) => {
  const { email } = await signUp(page);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, email, { number: 2 });
  await page.goto('sandbox/security');
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await expect(sessions.getByText('This session')).toHaveCount(1);
  await sessions.getByRole('button', { name: /^End your session/ }).click();
  await page.getByRole('button', { name: 'End session' }).click();
  await expect(sessions.getByRole('button', { name: /^End/ })).toHaveCount(0);
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await page.reload();
  const events = page.getByRole('table', { name: 'Security events' });
  await expect(events.getByText('Session ended').first()).toBeVisible();
  await page.getByLabel('Filter events').selectOption({ label: 'Sign-ins' });
  await expect(events.getByText('Session ended')).toHaveCount(0);
  await expect(events.getByText('Signed in').first()).toBeVisible();
});
