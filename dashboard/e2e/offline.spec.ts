import { expect, test } from '@playwright/test';
import { signUp } from './people.ts';

test('without a connection a page that was not opened yet says so inside the shell, and opens once there is one', async ({
  page,
  context,
}) => {
  await signUp(page);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await context.setOffline(true);
  await navigation.getByRole('link', { name: 'Invoices' }).click();
  await expect(page.getByText('This page could not be loaded')).toBeVisible();
  await expect(navigation).toBeVisible();
  await expect(page.getByText('Sandbox: no real money moves')).toBeVisible();
  // A page that is loaded already opens, and says how old its figures are.
  await navigation.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await navigation.getByRole('link', { name: 'Invoices' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('This page could not be loaded')).toBeVisible();

  await context.setOffline(false);
  await navigation.getByRole('link', { name: 'Team' }).click();
  await expect(page.getByRole('table', { name: 'Team' })).toBeVisible();
  await navigation.getByRole('link', { name: 'Invoices' }).click();
  await expect(page.getByText('No invoices yet')).toBeVisible();
});
