import { expect, test, type Page } from '@playwright/test';
import { grace, orderPayout } from './paying.ts';
import { newAddress, signIn, signUp } from './people.ts';
import { startReceiver, type Receiver } from './receiver.ts';

let receiver: Receiver;
test.beforeEach(async () => {
  receiver = await startReceiver();
});
test.afterEach(async () => receiver.close());

async function copySecret(page: Page): Promise<string> {
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  // A slip of the finger does not take it away.
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('secret')).toBeVisible();
  await page.getByRole('button', { name: 'I copied the secret' }).click();
  await expect(page.getByTestId('secret')).toHaveCount(0);
  return secret;
}

/** A webhook to the receiver, which gets its secret. Ends on the page of the webhook. */
async function createWebhook(page: Page): Promise<void> {
  await page.goto('sandbox/webhooks');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Description').fill('Order system');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  receiver.secrets.push(await copySecret(page));
  await page.getByRole('link', { name: 'Order system' }).click();
  await expect(page.getByRole('heading', { name: 'Order system' })).toBeVisible();
}

async function sendTest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send test event' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('200', { exact: true })).toBeVisible();
  await expect(dialog.getByText('Thanks for webhook.test')).toBeVisible();
  await expect(dialog.getByText(/x-served-by: shop-1/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
}

function timesAccepted(type: string): number {
  return receiver.accepted.filter((each) => each === type).length;
}

test('a webhook is created, tested, gets the events of a payout, and gets one again', async ({ page }) => {
  await signUp(page);
  await createWebhook(page);
  await sendTest(page);
  await orderPayout(page, grace);
  const completed = page.getByRole('row', { name: /payout\.completed.*Delivered/ });
  await expect(completed).toBeVisible();
  expect(timesAccepted('payout.completed')).toBe(1);

  await completed.getByRole('link', { name: 'payout.completed' }).click();
  await page.getByText('Attempt 1', { exact: true }).click();
  await expect(page.getByText('Thanks for payout.completed')).toBeVisible();
  await expect(page.getByText(/"type": "payout\.completed"/)).toBeVisible();
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await expect(page.getByText('Attempt 2', { exact: true })).toBeVisible();
  await expect(page.getByRole('status').getByText('Delivered')).toBeVisible();
  expect(timesAccepted('payout.completed')).toBe(2);

  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByRole('button', { name: 'Redeliver everything since…' }).click();
  await page.getByLabel('Last sequence you have').fill('0');
  await page.getByRole('button', { name: 'Redeliver events' }).click();
  await expect(page.getByText(/^\d+ events are queued to be sent again, up to sequence \d+\.$/)).toBeVisible();
  await expect.poll(() => timesAccepted('payout.completed')).toBe(3);
});

test('a rolled secret signs beside the old one, and a webhook is edited, disabled, enabled and deleted', async ({
  page,
}) => {
  await signUp(page);
  await createWebhook(page);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Roll secret' }).click();
  await dialog.getByRole('button', { name: 'Roll secret' }).click();
  await expect(dialog.getByText(/^The previous secret signs too until/)).toBeVisible();
  const second = await copySecret(page);
  await expect(page.getByText(/^Signs too until/)).toBeVisible();
  // The receiver still has the first alone, then the second alone.
  await sendTest(page);
  receiver.secrets = [second];
  await sendTest(page);

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Events').selectOption('chosen');
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await expect(dialog.getByText('Choose at least one event type.')).toBeVisible();
  await dialog.getByLabel('payout.failed').check();
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('payout.failed', { exact: true })).toBeVisible();

  for (const [action, then] of [
    ['Disable', 'Disabled'],
    ['Enable', 'Enabled'],
  ] as const) {
    await page.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('button', { name: `${action} webhook` }).click();
    await expect(page.getByRole('status').getByText(then, { exact: true })).toBeVisible();
  }
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete webhook' }).click();
  await expect(page.getByText('No sandbox webhooks yet')).toBeVisible();
});

test('a viewer sees webhooks, deliveries and events, and nothing that changes them', async ({ page, browser }) => {
  await signUp(page);
  await createWebhook(page);
  const webhook = new URL(page.url()).pathname;
  await orderPayout(page, grace);
  await page.getByRole('row', { name: /payout\.completed.*Delivered/ }).click();
  await expect(page.getByRole('heading', { name: 'payout.completed' })).toBeVisible();
  const delivery = new URL(page.url()).pathname;
  const viewer = newAddress('vera');
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(viewer);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('cell', { name: viewer }).first()).toBeVisible();

  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, viewer);
  for (const [address, shown] of [
    ['sandbox/webhooks', 'Order system'],
    [webhook, 'payout.completed'],
    [delivery, 'Attempt 1'],
    ['sandbox/events', 'Payout completed'],
  ] as const) {
    await theirs.goto(address);
    await expect(theirs.getByText(shown, { exact: true }).first()).toBeVisible();
    const actions = /Create|Edit|Roll|Disable|Enable|Delete|Send|Redeliver|Try now/;
    await expect(theirs.getByRole('button', { name: actions })).toHaveCount(0);
  }
  // The newest is the first, and leads to the payout.
  const newest = theirs.getByRole('table', { name: 'Events' }).getByRole('row').nth(1);
  await expect(newest).toContainText('payout.completed');
  await newest.getByRole('link', { name: 'View payout' }).click();
  await expect(theirs.getByRole('heading', { name: /£25\.00/ })).toBeVisible();
});
