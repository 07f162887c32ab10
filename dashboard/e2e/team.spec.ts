import { expect, test, type Page } from '@playwright/test';
import { doConfirmed } from './confirming.ts';
import { newAddress, signUp } from './people.ts';

async function invite(page: Page, { email, by }: { email: string; by: string }): Promise<void> {
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(email);
  await page.getByLabel('Role').selectOption('admin');
  await doConfirmed(page, { email: by, button: 'Send invitation' });
  await expect(page.getByRole('button', { name: `Edit ${email}` })).toBeVisible();
}

test('nobody is removed from the team without being asked about', async ({ page }) => {
  const { email } = await signUp(page);
  const colleague = newAddress('bea');
  await invite(page, { email: colleague, by: email });
  const change = page.getByRole('button', { name: `Edit ${colleague}` });
  await change.click();
  await page.getByRole('button', { name: 'Remove from team' }).click();
  await page.getByRole('button', { name: 'Keep member' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await change.click();
  await page.getByRole('button', { name: 'Remove from team' }).click();
  await doConfirmed(page, { email, button: 'Remove member' });
  await expect(change).toHaveCount(0);
});
