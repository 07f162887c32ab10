import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { billMonthBefore } from './billed-month.ts';
import { openLive, topUp } from './live.ts';
import { fillPayout, grace, isAtPayout } from './paying.ts';
import { signUp } from './people.ts';

/** What a link gives to be kept, once it is clicked. */
async function downloaded(page: Page, link: string): Promise<{ name: string; content: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

test('an invoice opens to every payout behind its lines, and is had as PDF and as CSV', async ({ page }) => {
  const { slug } = await signUp(page);
  await openLive(page, slug);
  await billMonthBefore(slug);
  await page.goto('live/invoices');
  await page.getByRole('table', { name: 'Invoices' }).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/ 20\d\d/);
  await expect(page.getByText('Monthly account').first()).toBeVisible();

  await page.getByRole('button', { name: /Payout fees/ }).click();
  const behind = page.getByRole('table', { name: 'Invoice items' });
  await expect(behind.getByRole('row')).toHaveCount(26);
  await expect(page.getByText('1 to 25 of')).toBeVisible();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('26 to 50 of')).toBeVisible();
  await expect(behind).toHaveAttribute('aria-busy', 'false');

  const pdf = await downloaded(page, 'Download PDF');
  expect(pdf.name).toMatch(/^kelpie-invoice-KP-\d{6}\.pdf$/);
  expect(pdf.content.subarray(0, 5).toString()).toBe('%PDF-');
  const csv = await downloaded(page, 'Download CSV');
  expect(csv.name).toMatch(/^kelpie-20\d\d-\d\d-items\.csv$/);
  expect(csv.content.toString()).toMatch(/^id,at,kind,effect,payout_id/);

  // The payout itself is one click away.
  await behind.getByRole('link').first().click();
  await isAtPayout(page);
});

test('a top-up is seen coming, credited, and on the statement, which adds up', async ({ page }) => {
  const { slug } = await signUp(page);
  await page.goto('sandbox/deposits');
  await expect(page.getByText('No top-ups yet')).toBeVisible();
  await expect(page.getByText('Account number')).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy sort code' }).click();
  expect(await page.evaluate(async () => navigator.clipboard.readText())).toMatch(/^\d\d-\d\d-\d\d$/);

  await topUp(
    { slug, environment: 'sandbox' },
    { amountGbp: '800.00', from: 'Tideway Coffee Ltd', reference: 'Float' },
  );
  const deposits = page.getByRole('table', { name: 'Top-ups' });
  // Without a reload.
  const received = deposits.getByRole('row').filter({ hasText: 'Tideway Coffee Ltd' });
  await expect(received).toContainText('Credited');
  for (const part of ['£800.00 sent', /1 USDC = £0\.\d+/, /fee \d+\.\d\d USDC/])
    await expect(received).toContainText(part);

  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Statement' }).click();
  const movements = page.getByRole('table', { name: 'Movements' });
  await expect(movements.getByRole('row').filter({ hasText: 'Order 42' })).toContainText('−');
  await expect(movements.getByRole('row').filter({ hasText: 'Top-up' })).not.toHaveCount(0);
  const csv = await downloaded(page, 'Download CSV');
  expect(csv.name).toMatch(/^kelpie-statement-sandbox-20\d\d-\d\d\.csv$/);
  expect(csv.content.toString()).toContain('Order 42');

  await page.getByLabel('Month').selectOption({ index: 1 });
  await expect(page).toHaveURL(/month=20\d\d-\d\d/);
  await expect(page.getByText(/^No movements in/)).toBeVisible();
});
