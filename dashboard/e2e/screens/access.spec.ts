import { expect } from '@playwright/test';
import { doConfirmed } from '../confirming.ts';
import { openLive } from '../live.ts';
import { mailedCode, mailedLink } from '../mail.ts';
import { signIn, signUp } from '../people.ts';
import { heading, patienceMs, shoot, take, test } from './shoot.ts';

test('the pages about keys, limits, sessions and security events', async ({ page, browser }) => {
  test.setTimeout(patienceMs);
  const { email, slug } = await signUp(page);
  await openLive(page, slug);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, email, { number: 2 });
  await page.goto('live/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Label').fill('Shop');
  await page.getByLabel('Expires').selectOption('90');
  await page.getByLabel('Allowed networks').fill('203.0.113.0/24, 198.51.100.7, 2001:db8::/32');
  await page.getByLabel('Daily limit').fill('2,500');
  await take(page, { name: 'access-create-key' });
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
  await create.click();
  const code = await mailedCode(email, 3);
  await page.getByLabel('6-digit code').fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
  await create.click();
  await expect(page.getByText(/^That code is wrong/)).toBeVisible();
  await take(page, { name: 'access-wrong-code' });
  await page.getByLabel('6-digit code').fill(code);
  await create.click();
  const copied = page.getByRole('button', { name: 'I copied the key' });
  await copied.click();
  await page.getByRole('button', { name: 'Roll Shop' }).click();
  await take(page, { name: 'access-roll-key' });
  await doConfirmed(page, { email, button: 'Roll key', done: copied });
  await copied.click();
  await shoot(page, [
    { name: 'access-keys', address: 'live/keys', ready: heading('API keys') },
    { name: 'access-security', address: 'live/security', ready: heading('Security') },
    {
      name: 'access-change-limits',
      address: 'live/security',
      ready: heading('Security'),
      prepare: async (at) => at.getByRole('button', { name: 'Change limits' }).click(),
    },
  ]);
  await page.goto(await mailedLink(email, /https?:\S+\/not-me#\S+/));
  await page.getByRole('button', { name: 'Freeze live payouts' }).click();
  await heading('Live payouts are frozen')(page);
  await take(page, { name: 'access-frozen' });
  await shoot(page, [{ name: 'access-frozen-overview', address: 'live', ready: heading('Overview') }]);
});
