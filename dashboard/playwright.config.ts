import { defineConfig } from '@playwright/test';
import { browserArguments, browserPath } from './e2e/browser.ts';

// Started by `npm run e2e`, which brings up the whole of Kelpie first.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Each test is of people and a business of its own. More at once would only wait for each other.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  timeout: 180_000,
  // A machine that does much else is slow, not broken.
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    baseURL: `${process.env['E2E_URL'] ?? ''}/dashboard/`,
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // What can not be clicked by then never will be.
    actionTimeout: 60_000,
    launchOptions: { executablePath: browserPath, args: browserArguments },
  },
});
