import { expect, test, type Page } from '@playwright/test';
import { mailedCode } from './mail.ts';
import { newAddress, signIn, signUp } from './people.ts';

const live = 'Live payout problems';
const sandbox = 'Sandbox payout problems';

async function openSettings(page: Page): Promise<void> {
  await page.goto('sandbox/settings');
  await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible();
}

test('each person switches their own payout emails on and off, and finds them so again', async ({ page, browser }) => {
  await signUp(page);
  await openSettings(page);
  await expect(page.getByLabel(live)).toBeChecked();
  await page.getByLabel(sandbox).uncheck();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel(live)).toBeChecked();
  await expect(page.getByLabel(sandbox)).not.toBeChecked();

  const viewer = newAddress('vera');
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(viewer);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('cell', { name: viewer }).first()).toBeVisible();
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, viewer);
  await openSettings(theirs);
  await expect(theirs.getByLabel(live)).not.toBeChecked();
  await theirs.getByLabel(live).check();
  await expect(theirs.getByText('Saved')).toBeVisible();
  await theirs.reload();
  await expect(theirs.getByLabel(live)).toBeChecked();
});

test('a new billing email is saved once the emailed code confirms it', async ({ page }) => {
  const { email } = await signUp(page);
  await openSettings(page);
  const billing = newAddress('bills');
  await page.getByLabel('Billing email').fill(billing);
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText(`It confirms the billing email ${billing}.`)).toBeVisible();
  await page.getByLabel('6-digit code').fill(await mailedCode(email, 2));
  await page.getByRole('dialog').getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Billing email')).toHaveValue(billing);
});
