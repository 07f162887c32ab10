import { expect, test } from '@playwright/test';
import { signUp } from './people.ts';
import { countPaid, fillPayout, grace, isAtPayout, payoutsOf, watchSent } from './paying.ts';

test('from sign-up to a first sandbox payout that arrived, without one reload', async ({ page }) => {
  await signUp(page);
  await expect(page.getByText('Sandbox: no real money moves').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Wallet' }).getByText('10,000.00')).toBeVisible();
  await expect(page.getByText('No payouts yet')).toBeVisible();

  await fillPayout(page, 'sandbox', grace);
  await expect(page.getByText('04-00-04')).toBeVisible();
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  // It was processing a moment ago: the page follows it to its end by itself.
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Completed' }).getByText('By the bank')).toBeVisible();
  await expect(page.getByText('Order 42').first()).toBeVisible();
  await expect(page.getByRole('table', { name: 'Ledger' }).getByText('Hold for the payout')).toBeVisible();

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('link', { name: 'Grace Hopper' })).toBeVisible();
  await expect(page.getByText('£25.00 paid out in the last 30 days')).toBeVisible();
});

test('however often one clicks, it is sent once, and one payout is made', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  const sent = watchSent(page);
  // The first is held back until every click has come: a second one would have gone by then.
  const { promise: clicked, resolve: go } = Promise.withResolvers<void>();
  await page.route(payoutsOf('sandbox'), async (route) => {
    if (route.request().method() === 'POST') await clicked;
    return route.fallback();
  });
  const send = page.getByRole('button', { name: /Send £25\.00|Sending/ });
  await send.dblclick();
  // The button says by now that it works: whoever clicks all the same does so on what looks disabled.
  await expect(send).toHaveAttribute('aria-busy', 'true');
  await send.click({ force: true });
  await send.press('Enter');
  go();
  await isAtPayout(page);
  expect(sent).toEqual([expect.stringMatching(/^dashboard-[0-9a-f-]{36}$/)]);
  expect(await countPaid(page, 'sandbox')).toBe(1);
  await page.goto('sandbox/payouts');
  await expect(page.getByRole('link', { name: 'Grace Hopper' })).toHaveCount(1);
});

test('a payout that fails says why, where the money is, and what to do', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', { ...grace, accountNumber: '12340000' });
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Failed')).toBeVisible();
  await expect(page.getByText('The bank rejected the account details.')).toBeVisible();
  await expect(page.getByText('The money is back in your wallet. There is no charge.')).toBeVisible();
  await expect(page.getByText('Check the sort code, account number and name with the recipient')).toBeVisible();
});

test('a wallet that is short blocks Send and links to Top-ups', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', { ...grace, amount: '19,000' });
  await expect(page.getByText(/Your wallet is [\d,]+\.\d\d USDC short for this payout/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send £19,000.00' })).toBeDisabled();
  await page.getByRole('link', { name: 'Top up your wallet' }).click();
  await expect(page.getByRole('heading', { name: 'Top-ups' })).toBeVisible();
});

test('a payout that the API refuses for its wallet says what to top up, with the request ID', async ({ page }) => {
  await signUp(page);
  // As if another payout had emptied the wallet since the page last read it.
  await page.route('**/v1/balance*', async (route) => {
    const answer = await route.fetch();
    return route.fulfill({ response: answer, body: (await answer.text()).replace('"10000.00"', '"90000.00"') });
  });
  await fillPayout(page, 'sandbox', { ...grace, amount: '19,000' });
  await page.getByRole('button', { name: 'Send £19,000.00' }).click();
  await expect(page.getByText('The payout was not sent.')).toBeVisible();
  await expect(page.getByText('No money moved.')).toBeVisible();
  await expect(page.getByText('Request ID')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Top up [\d,.]+ USDC$/ })).toBeVisible();
});

test('on the first page Tab starts at the skip link; on the next one the heading has the focus', async ({ page }) => {
  await signUp(page);
  await page.goto('sandbox/team');
  await expect(page.getByRole('cell', { name: /ada-/ }).first()).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recipients' }).click();
  await expect(page.getByRole('heading', { name: 'Recipients', level: 1 })).toBeFocused();
});

test('the whole way to a payout can be gone by keyboard', async ({ page }) => {
  await signUp(page);
  await page.goto('sandbox/payouts/new');
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  };
  await expect(page.getByLabel('Recipient receives')).toBeFocused();
  await type('25');
  await type('Order 43');
  await page.keyboard.press('Tab');
  for (const text of ['Grace', 'Hopper', '040004', '12345678', 'Example Bank', '1 High Street', '', 'Leeds'])
    await type(text);
  await page.keyboard.type('LS1 1AA');
  await page.keyboard.press('Enter');
  const send = page.getByRole('button', { name: 'Send £25.00' });
  await expect(send).toBeVisible();
  for (let tabs = 0; tabs < 60 && !(await send.evaluate((button) => button === document.activeElement)); tabs += 1) {
    await page.keyboard.press('Tab');
  }
  await expect(send).toBeFocused();
  await page.keyboard.press('Enter');
  await isAtPayout(page);
});
