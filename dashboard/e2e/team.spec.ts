import { expect, test } from '@playwright/test';
import { doConfirmed } from './confirming.ts';
import { inviteAdmin, newAddress, signUp } from './people.ts';

test('nobody is removed from the team without being asked about', async ({ page }) => {
  const { email } = await signUp(page);
  const colleague = newAddress('bea');
  await inviteAdmin(page, { email: colleague, by: email });
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
