import { expect, test, type Page } from '@playwright/test';
import { newAddress, signUp } from './people.ts';

async function invite(page: Page, email: string): Promise<void> {
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(email);
  await page.getByLabel('Role').selectOption('admin');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('button', { name: `Edit ${email}` })).toBeVisible();
}

test('nobody is removed from the team without being asked about', async ({ page }) => {
  await signUp(page);
  const colleague = newAddress('bea');
  await invite(page, colleague);
  const change = page.getByRole('button', { name: `Edit ${colleague}` });
  await change.click();
  await page.getByRole('button', { name: 'Remove from team' }).click();
  await page.getByRole('button', { name: 'Keep member' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await change.click();
  await page.getByRole('button', { name: 'Remove from team' }).click();
  await page.getByRole('button', { name: 'Remove member' }).click();
  await expect(change).toHaveCount(0);
});
