import { expect, test } from '@playwright/test';
import { signUp } from './people.ts';
import { answerSending, countPaid, fillPayout, grace, isAtPayout, payoutsOf, watchSent } from './paying.ts';

const unknown = "We don't know whether the payout was created.";

test('after an answer that got lost, whatever comes between, only the same order goes, under the same key, and one payout is made', async ({
  page,
}) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  const sent = watchSent(page);
  await answerSending(page, 'sandbox', [
    'lost after it was done',
    { status: 429, code: 'rate_limited' },
    { status: 503, code: 'unavailable' },
    { status: 401, code: 'unauthorized' },
  ]);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  for (const said of ['Kelpie did not respond', 'rate_limited', 'unavailable', 'unauthorized']) {
    await expect(page.getByText(unknown)).toBeVisible();
    await expect(page.getByText(said)).toBeVisible();
    await expect(page.getByText('No money moved')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Edit payout' })).toBeDisabled();
    await page.getByRole('button', { name: 'Retry the same payout' }).click();
  }
  await isAtPayout(page);
  expect(sent).toHaveLength(5);
  expect(new Set(sent).size).toBe(1);
  expect(await countPaid(page, 'sandbox')).toBe(1);
});

test('a busy service on the first try leaves it unknown', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await answerSending(page, 'sandbox', [{ status: 503, code: 'unavailable' }]);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit payout' })).toBeDisabled();
});

test('what is sent without a connection does not go later by itself, and goes once when it is sent again', async ({
  page,
  context,
}) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  await context.setOffline(false);
  const sent = watchSent(page);
  await navigation.getByRole('link', { name: 'Recipients' }).click();
  await expect(page.getByText('No recipients yet')).toBeVisible();
  expect(sent).toHaveLength(0);
  // On return it is told, and what was typed is still there: the same can be sent again.
  await navigation.getByRole('link', { name: 'Payouts' }).click();
  await page
    .getByRole('link', { name: /New payout|Send first/ })
    .first()
    .click();
  await expect(page.getByText("We don't know whether your last payout was created.")).toBeVisible();
  await page.getByRole('button', { name: 'Review payout' }).click();
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await isAtPayout(page);
  expect(await countPaid(page, 'sandbox')).toBe(1);
});

test('an unknown outcome outlives the page: what was made is found, and another order does not go before it', async ({
  page,
}) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await answerSending(page, 'sandbox', ['lost before it arrived', 'lost after it was done']);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
  for (const secret of ['Grace', 'Hopper', '12345678', '040004']) expect(kept).not.toContain(secret);

  const sent = watchSent(page);
  await fillPayout(page, 'sandbox', { ...grace, amount: '26.00' });
  await page.getByRole('button', { name: 'Send £26.00' }).click();
  await expect(page.getByText('This is not the payout that you sent before.')).toBeVisible();
  expect(sent).toHaveLength(0);

  // The same, and again no answer: but it was made.
  await page.getByRole('button', { name: 'Edit payout' }).click();
  await page.getByLabel('Recipient receives').fill('25.00');
  await page.getByRole('button', { name: 'Review payout' }).click();
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  await expect(page.getByText('Your last payout was created.')).toBeVisible();
  await page.getByRole('link', { name: 'View the payout' }).click();
  await isAtPayout(page);
  expect(sent).toHaveLength(1);
  expect(await countPaid(page, 'sandbox')).toBe(1);
  await page.goto('sandbox/payouts/new');
  await expect(page.getByLabel('Recipient receives')).toHaveValue('');
  await expect(page.getByText("We don't know whether your last payout was created.")).toHaveCount(0);
});

test('another payout can be begun once the last attempt has had two minutes to arrive, and each attempt begins them anew', async ({
  page,
}) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await answerSending(page, 'sandbox', ['lost before it arrived', 'lost before it arrived']);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  const another = page.getByRole('button', { name: 'Start another payout' });
  // As if it had been sent three minutes ago.
  await page.evaluate(() => {
    for (const [name, text] of Object.entries(sessionStorage)) {
      if (!name.startsWith('kelpie.sent-order.')) continue;
      const [key, digest] = String(text).split(' ');
      sessionStorage.setItem(name, `${key} ${digest} ${Date.now() - 180_000}`);
    }
  });
  await fillPayout(page, 'sandbox', grace);
  await expect(another).toBeVisible();
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText(unknown)).toBeVisible();
  await expect(another).toHaveCount(0);
});

test('whoever leaves while a payout is sent is not led away from where they have gone', async ({ page }) => {
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  const { promise: left, resolve: go } = Promise.withResolvers<void>();
  await page.route(payoutsOf('sandbox'), async (route) => {
    if (route.request().method() === 'POST') await left;
    return route.fallback();
  });
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recipients' }).click();
  await expect(page.getByRole('heading', { name: 'Recipients' })).toBeVisible();
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  go();
  await answered;
  await expect(page.getByRole('link', { name: 'Grace Hopper', exact: true })).toBeVisible();
  await expect(page).toHaveURL(/\/recipients$/);
});
