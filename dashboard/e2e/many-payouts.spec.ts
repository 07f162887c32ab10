import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { plantPayouts, referencesOf } from './planted-payouts.ts';
import { signUp } from './people.ts';

const quickMs = 1_000;
const count = 100_000;

test('a list of 100,000 payouts pages without delay, and can be narrowed and exported', async ({ page }) => {
  test.setTimeout(180_000);
  const { slug } = await signUp(page);
  await plantPayouts({ slug, count, days: 28 });
  await page.goto('sandbox/payouts');
  const table = page.getByRole('table', { name: 'Payouts' });
  await expect(table.getByRole('row')).toHaveCount(51);
  const took: number[] = [];
  for (let pages = 0; pages < 10; pages += 1) {
    const first = await table.getByRole('row').nth(1).textContent();
    // By the answer itself: what looks for a change on the page looks only every second.
    const answered = page.waitForResponse((response) => response.url().includes('cursor='));
    const from = performance.now();
    await page.getByRole('button', { name: 'Older' }).click();
    await (await answered).finished();
    took.push(performance.now() - from);
    await expect(table.getByRole('row').nth(1)).not.toHaveText(first ?? '');
    await expect(table).toHaveAttribute('aria-busy', 'false');
  }
  test.info().annotations.push({ type: 'page', description: took.map((ms) => `${Math.round(ms)} ms`).join(', ') });
  console.log(`a page of 100,000: ${took.map((ms) => Math.round(ms)).join(', ')} ms`);
  expect(took.toSorted((a, b) => a - b)[5]).toBeLessThan(quickMs);

  await page.getByRole('button', { name: 'Newest' }).click();
  await page.getByRole('button', { name: 'Returned', exact: true }).click();
  await expect(page).toHaveURL(/status=returned/);
  await expect(table.getByRole('cell', { name: 'Returned', exact: true }).first()).toBeVisible();
  await expect(table.getByRole('cell', { name: 'Completed', exact: true })).toHaveCount(0);
  // This one was completed: among the returned there is none.
  const search = page.getByLabel('Search payouts');
  await search.fill('Order 109000');
  await search.press('Enter');
  await expect(page).toHaveURL(/search=Order\+109000/);
  await expect(table).toHaveCount(0);
  await page.getByRole('button', { name: 'Returned', exact: true }).click();
  const found = table.getByRole('row').nth(1);
  await expect(found).toContainText('Order 109000');
  for (const text of ['Dorothy Hodgkin', 'Completed', '£482.00']) await expect(found).toContainText(text);
  await expect(table.getByRole('row')).toHaveCount(2);

  // One of the oldest: an answer looks at 20,000 at most, and the page says where to go on.
  await search.fill('Order 10042');
  await search.press('Enter');
  await expect(page.getByText('No matches in the 20,000 payouts searched')).toBeVisible();
  await expect(async () => {
    if (!(await found.isVisible())) await page.getByRole('button', { name: 'Search older payouts' }).click();
    await expect(found).toContainText('Order 10042', { timeout: quickMs });
  }).toPass();
  await expect(found).toContainText('£486.02');

  await page.goto('sandbox/payouts?status=cancelled');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^kelpie-payouts-sandbox-\d{4}-\d\d-\d\d\.csv$/);
  const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toMatch(/^id,created_at,status,recipient,/);
  // Each of them once, the newest first: many pages of the list.
  const exported = lines.map((line) => line.split(','));
  expect(exported.map((cells) => cells[8])).toEqual(referencesOf(count, 'cancelled'));
  expect(new Set(exported.map((cells) => cells[2]))).toEqual(new Set(['cancelled']));

  const from = performance.now();
  await page.goto('sandbox');
  await expect(page.getByText('paid out in the last 30 days')).toBeVisible();
  // More were made than one search looks at: the page must not say that all is well with every one of them.
  await expect(page.getByText('Only your newest payouts are checked here.')).toBeVisible();
  console.log(`the overview of 100,000: ${Math.round(performance.now() - from)} ms`);
});
