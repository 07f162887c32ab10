import { expect, test } from '@playwright/test';
import { doConfirmed } from './confirming.ts';
import { openLive, topUp } from './live.ts';
import { mailedCode, mailedLink } from './mail.ts';
import { fillPayout, grace, isAtPayout } from './paying.ts';
import { signIn, signUp } from './people.ts';
import { stack } from './stack.ts';

async function statusWith(secret: string): Promise<number> {
  return (await fetch(`${stack.url}/v1/balance`, { headers: { authorization: `Bearer ${secret}` } })).status;
}

test('a session is ended from the list, and both are in the security events', async ({ page, browser }) => {
  const { email } = await signUp(page);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, email, { number: 2 });
  await page.goto('sandbox/security');
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await expect(sessions.getByText('This session')).toHaveCount(1);
  await sessions.getByRole('button', { name: /^End your session/ }).click();
  await page.getByRole('button', { name: 'End session' }).click();
  await expect(sessions.getByRole('button', { name: /^End/ })).toHaveCount(0);
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await page.reload();
  const events = page.getByRole('table', { name: 'Security events' });
  await expect(events.getByText('Session ended').first()).toBeVisible();
  await page.getByLabel('Filter events').selectOption({ label: 'Sign-ins' });
  await expect(events.getByText('Session ended')).toHaveCount(0);
  await expect(events.getByText('Signed in').first()).toBeVisible();
});

test('a live key takes a code, is rolled without downtime, and the link in the email to admins freezes live payouts', async ({
  page,
  browser,
}) => {
  const { email, slug, name } = await signUp(page);
  await openLive(page, slug);
  const secret = page.getByTestId('secret');
  const copied = page.getByRole('button', { name: 'I copied the key' });

  await page.goto('live/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Label').fill('Shop');
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
  await create.click();
  await expect(page.getByText(/It confirms the live key Shop/)).toBeVisible();
  // The first code was the one of the sign-up.
  const code = await mailedCode(email, 2);
  await page.getByLabel('6-digit code').fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
  await create.click();
  await expect(page.getByText('That code is wrong or has expired. Nothing changed.')).toBeVisible();
  // The wrong one is selected: by keyboard alone, the right one replaces it.
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await expect(secret).toHaveText(/^kp_live_/);
  const first = (await secret.textContent()) ?? '';
  await copied.click();

  await page.getByRole('button', { name: 'Roll Shop' }).click();
  await doConfirmed(page, { email, button: 'Roll key', done: copied });
  await expect(page.getByText(/^The previous secret works until/)).toBeVisible();
  const second = (await secret.textContent()) ?? '';
  await copied.click();
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

  // Without a session, from the email: who opens the link freezes nothing yet.
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(await mailedLink(email, /https?:\S+\/not-me#\S+/));
  const freeze = stranger.getByRole('button', { name: 'Freeze live payouts' });
  await expect(freeze).toBeVisible();
  await expect(stranger).toHaveURL(/\/not-me$/);
  await page.goto('live');
  await expect(page.getByRole('link', { name: /Add a billing email/ })).toBeVisible();
  await expect(page.getByText('Live payouts are frozen')).toHaveCount(0);
  await freeze.click();
  await expect(stranger.getByRole('heading', { name: 'Live payouts are frozen' })).toBeVisible();
  await expect(stranger.getByText(name)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: /Live payouts are frozen/ })).toBeVisible();
});

test('a limit that an admin sets refuses what would pass it, and says what is left', async ({ page }) => {
  const { email, slug } = await signUp(page);
  await page.goto('sandbox/security');
  await page.getByRole('button', { name: 'Change limits' }).click();
  await page.getByLabel('Daily limit (optional)').fill('20,000');
  await doConfirmed(page, { email, button: 'Save limits' });
  await expect(page.getByText('£20,000.00').first()).toBeVisible();
  await topUp({ slug, environment: 'sandbox' }, { amountGbp: '25000.00', from: 'Tideway', reference: 'Float' });
  const send = page.getByRole('button', { name: 'Send £15,000.00' });
  await fillPayout(page, 'sandbox', { ...grace, amount: '15000' });
  await send.click();
  await isAtPayout(page);
  await fillPayout(page, 'sandbox', { ...grace, amount: '15000' });
  await send.click();
  await expect(page.getByText('The payout was not sent.')).toBeVisible();
  const left = /^Your daily limit is £20,000\.00\. You can pay £5,000\.00 more until it resets at/;
  await expect(page.getByText(left)).toBeVisible();
});
