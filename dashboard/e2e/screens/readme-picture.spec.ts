import { expect } from '@playwright/test';
import { topUp } from '../live.ts';
import { signUp } from '../people.ts';
import { plantPayouts } from '../planted-payouts.ts';
import { heading, test } from './shoot.ts';

// The picture in README.md. `npm run e2e -- readme-picture` takes it; copy it to docs/images/dashboard.png.
test('the overview for the README', async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 1000 });
  const { slug } = await signUp(page);
  await topUp(
    { slug, environment: 'sandbox' },
    { amountGbp: '12000.00', from: 'Tideway Coffee Ltd', reference: 'Float' },
  );
  await plantPayouts({ slug, count: 45, days: 27 });
  await page.goto('sandbox');
  await heading('Overview')(page);
  // The page shows the top-up at its next poll.
  await expect(page.getByText('10,000.00')).toHaveCount(0);
  await page.evaluate(async () => document.fonts.ready);
  await page.screenshot({ path: 'screenshots/readme.png', animations: 'disabled' });
});
