import { expect, test, type Page } from '@playwright/test';
import { plantPayouts } from './planted-payouts.ts';
import { signUp } from './people.ts';
import { stack } from './stack.ts';

const mostScriptBytes = 180_000;
const mostShift = 0.05;

interface Loaded {
  path: string;
  bytes: number;
}

/** What is loaded of a page, as it is on the wire. */
async function scriptsOf(page: Page): Promise<Loaded[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming && entry.name.endsWith('.js'))
      .map((entry) => ({
        path: new URL(entry.name).pathname,
        bytes: entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0,
      })),
  );
}

test('the first load is small, chart and menu included, nothing moves while it comes, and no script is in the page', async ({
  page,
}) => {
  const { slug } = await signUp(page);
  await plantPayouts({ slug, count: 400, days: 27 });
  // What was counted before them is remembered for a second.
  await expect(async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const days = await page.request.get(`${stack.url}/v1/usage/days`, { headers });
    expect(await days.text()).toMatch(/"completed":[1-9]/);
  }).toPass();
  const fresh = await page.context().newPage();
  await fresh.addInitScript(() => {
    Reflect.set(window, 'shifted', 0);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const moved: unknown = Reflect.get(entry, 'value');
        Reflect.set(window, 'shifted', Number(Reflect.get(window, 'shifted')) + Number(moved));
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const answer = await fresh.goto('sandbox');
  expect(answer?.headers()['content-encoding']).toBe('br');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain(`script-src 'self';`);
  expect(policy).not.toMatch(/unsafe|nonce|sha\d/);
  expect(await answer?.text()).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\son\w+=|<style|\sstyle=/);

  await expect(
    fresh
      .getByRole('img', { name: /Pounds paid/ })
      .locator('svg')
      .first(),
  ).toBeVisible();
  await expect(fresh.getByRole('button', { name: /Ada Byron/ })).toBeVisible();
  const scripts = await scriptsOf(fresh);
  const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0);
  const shifted = await fresh.evaluate(() => Number(Reflect.get(window, 'shifted')));
  console.log(`the overview: ${Math.round(bytes / 1_000)} KB of compressed script, layout shift ${shifted.toFixed(3)}`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(mostScriptBytes);
  expect(shifted).toBeLessThan(mostShift);
});

test('a script that somebody got into a page does not run', async ({ page }) => {
  await signUp(page);
  const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.planted = true';
    document.body.append(script);
  });
  await refused;
  expect(await page.evaluate(() => Reflect.has(window, 'planted'))).toBe(false);
});
