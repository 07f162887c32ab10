import { expect, test, type Page } from '@playwright/test';
import { signUp } from './people.ts';
import { stack } from './stack.ts';

/** What a script of the page gets from the API with the reader's session, in every way that a browser offers. */
async function callFrom(page: Page): Promise<string[]> {
  return page.evaluate(async (url) => {
    const address = `${url}/v1/keys?environment=sandbox`;
    const body = JSON.stringify({ environment: 'sandbox', label: 'stolen' });
    const calls: RequestInit[] = [
      { credentials: 'include' },
      { credentials: 'include', method: 'POST', body, headers: { 'content-type': 'application/json' } },
      // Sent without asking first, and without being shown the answer.
      { credentials: 'include', method: 'POST', body, mode: 'no-cors' },
    ];
    const outcomes = calls.map(async (init) =>
      fetch(address, init).then(
        ({ status, type }) => `${type} ${status}`,
        () => 'refused',
      ),
    );
    return Promise.all(outcomes);
  }, stack.url);
}

async function keyLabels(page: Page): Promise<string> {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await page.request.get(`${stack.url}/v1/keys`, { headers });
  return answer.text();
}

test('a script on the docs or the reference can not use the session of the person who reads them', async ({ page }) => {
  await signUp(page);
  // The same calls from the dashboard, so that it is known that they would work.
  expect((await callFrom(page))[0]).toBe('basic 200');
  const before = await keyLabels(page);
  for (const address of ['/docs', '/docs/quickstart', '/docs/reference/', '/docs/errors.md', '/llms.txt']) {
    await page.goto(`${stack.url}${address}`);
    const [read, write, blind] = await callFrom(page);
    expect([address, read, write]).toEqual([address, 'refused', 'refused']);
    expect(['refused', 'opaque 0']).toContain(blind);
    expect(await page.evaluate(() => self.origin)).toBe('null');
    const stored = page.evaluate(() => {
      const own = Object.getOwnPropertyDescriptor(Window.prototype, 'localStorage');
      return String(own?.get?.call(window)) + document.cookie;
    });
    await expect(stored).rejects.toThrow(/sandboxed/);
  }
  expect(await keyLabels(page)).toBe(before);
});

test('the docs are read without scripts, and searched with them', async ({ page, browser }) => {
  await page.goto(`${stack.url}/docs`);
  await page.keyboard.press('/');
  await page.keyboard.type('duplicate');
  const results = page.locator('#results a');
  await expect(results.first()).toBeVisible();
  await expect(results.filter({ hasText: 'Suspected duplicates' })).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Idempotency and retries' })).toBeVisible();

  const plain = await browser.newContext({ javaScriptEnabled: false });
  const reader = await plain.newPage();
  await reader.goto(`${stack.url}/docs`);
  await reader.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name: 'Webhooks' }).click();
  await expect(reader.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible();
  await expect(reader.getByRole('searchbox')).toBeHidden();
  await plain.close();
});
