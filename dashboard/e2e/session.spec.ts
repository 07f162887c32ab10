import { expect, test } from '@playwright/test';
import { valueAt } from '@kelpie/dev/json.ts';
import { doConfirmed } from './confirming.ts';
import { mailedCode } from './mail.ts';
import { signIn, signUp } from './people.ts';

test('who is not signed in is asked to, and comes back to the page that they wanted', async ({ page, browser }) => {
  const { email } = await signUp(page);
  const other = await (await browser.newContext()).newPage();
  await other.goto('sandbox/payouts?status=failed');
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await other.getByLabel('Work email').fill(email);
  await other.getByRole('button', { name: 'Email me a code' }).click();
  const code = await mailedCode(email, 2);
  const field = other.getByLabel('6-digit code');
  await field.fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
  await expect(other.getByText('That code is wrong or has expired.')).toBeVisible();
  await field.fill(code);
  await expect(other).toHaveURL(/\/sandbox\/payouts\?status=failed$/);
  await expect(other.getByRole('button', { name: 'Failed', pressed: true })).toBeVisible();
});

test('signing out ends the session in every window of the browser', async ({ page, context }) => {
  await signUp(page);
  const second = await context.newPage();
  await second.goto('sandbox/team');
  await expect(second.getByRole('heading', { name: 'Team' })).toBeVisible();
  await page.getByRole('button', { name: /Ada Byron/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  // Without a click: the first window tells the others.
  await expect(second.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('what was chosen to be seen, light or dark, is there before the page is', async ({ page }) => {
  await signUp(page);
  await page.getByRole('button', { name: /Ada Byron/ }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  // When, after a reload, the page was told so; and when there was anything to be seen of it.
  await page.addInitScript(() => {
    Reflect.set(window, 'themeChanges', []);
    new MutationObserver(() => {
      const themeChanges: unknown = Reflect.get(window, 'themeChanges');
      if (Array.isArray(themeChanges)) themeChanges.push(document.documentElement.dataset['theme'], performance.now());
    }).observe(document, { subtree: true, attributeFilter: ['data-theme'] });
  });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  const [themeChanges, firstPaint] = await page.evaluate((): [unknown, number | undefined] => [
    Reflect.get(window, 'themeChanges'),
    performance.getEntriesByName('first-paint')[0]?.startTime,
  ]);
  expect(themeChanges).toEqual(['dark', expect.any(Number)]);
  expect(firstPaint).toBeGreaterThan(Number(valueAt(themeChanges, '1')));
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(11, 21, 24)');
});

test('a role that is taken away is seen without signing in again', async ({ page, browser }) => {
  const { email } = await signUp(page);
  const colleague = `bea-${Date.now()}@tideway.example`;
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(colleague);
  await page.getByLabel('Role').selectOption('admin');
  await doConfirmed(page, { email, button: 'Send invitation' });
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, colleague);
  await expect(theirs.getByRole('link', { name: 'New payout' })).toBeVisible();
  await page.getByRole('button', { name: `Edit ${colleague}` }).click();
  await page.getByLabel('Role').selectOption('viewer');
  await doConfirmed(page, { email, button: 'Save role' });
  await theirs.reload();
  await expect(theirs.getByText('Viewer (read-only)')).toBeVisible();
  await expect(theirs.getByRole('link', { name: 'New payout' })).toHaveCount(0);
});
