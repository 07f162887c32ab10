// Every screen in light and dark, on a phone and on a wide screen: looked at by axe. With PICTURES set, each is also kept as a
// picture to be looked at.
import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base, type Page } from '@playwright/test';

const folder = 'screenshots';
const sizes = [
  { name: '390', width: 390, height: 844 },
  { name: '1440', width: 1440, height: 900 },
];

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

interface Shot {
  name: string;
  address: string;
  /** What has to be there before the picture is taken. */
  ready: (page: Page) => Promise<void>;
  prepare?: (page: Page) => Promise<void>;
  /** It is what is shown while the rest is on its way. */
  isLoading?: boolean;
  /** Where it is only there on a phone, or only on a wide screen. */
  width?: number;
}

export function heading(name: string | RegExp) {
  return async (page: Page): Promise<void> => {
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  };
}

/** Nothing is on its way any more that would change the picture. */
async function settle(page: Page, isLoading: boolean): Promise<void> {
  await page.evaluate(async () => document.fonts.ready);
  if (!isLoading) await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  // A colour half way between light and dark has the contrast of neither. Transitions begin with the next frame, so one is waited for first.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
}

async function judge(page: Page, what: string, theme: Theme): Promise<void> {
  // No page of ours has frames, so axe need not open one of its own to gather what it found in each.
  // It would fetch the style of pages without an origin, which may fetch nothing, for rules that are not used.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ preload: false });
  // Between light and dark only colours differ.
  const { violations } = await (theme === 'dark' ? axe.withRules(['color-contrast']) : axe).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
  // Softly: one run tells of all screens.
  expect.soft(found, what).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect.soft(overflow, `${what} is wider than its screen`).toBeLessThanOrEqual(0);
}

interface Checks {
  complaints: undefined;
}

/** Fails where the browser complains: of a policy that was broken, or a script that failed. */
export const test = base.extend<Checks>({
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await use(undefined);
      // What the API refuses, the browser notes too; that is judged elsewhere.
      expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    },
    { auto: true },
  ],
});

/** As it is now, in every look. */
export async function take(
  page: Page,
  { name, isLoading = false, width }: Omit<Shot, 'address' | 'ready'>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const size of sizes.filter((each) => width === undefined || each.width === width)) {
    await page.setViewportSize(size);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await settle(page, isLoading);
      // What sticks to the top would else stand in the middle of the picture.
      await page.evaluate(() => window.scrollTo(0, 0));
      await judge(page, `${name} ${theme} ${size.name}`, theme);
      if (process.env['PICTURES'] === undefined) continue;
      const path = `${folder}/${name}-${size.name}-${theme}.png`;
      await page.screenshot({ path, fullPage: true, animations: 'disabled' });
    }
  }
}

export async function shoot(page: Page, shots: readonly Shot[]): Promise<void> {
  for (const shot of shots) {
    await page.goto(shot.address);
    await shot.ready(page);
    await shot.prepare?.(page);
    await take(page, shot);
  }
}

export const patienceMs = 900_000;
