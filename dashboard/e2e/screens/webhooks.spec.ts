import { expect, type Page } from '@playwright/test';
import { grace, orderPayout } from '../paying.ts';
import { signUp } from '../people.ts';
import { startReceiver } from '../receiver.ts';
import { heading, patienceMs, shoot, take, test } from './shoot.ts';

async function create(page: Page, { url, description }: { url: string; description: string }): Promise<void> {
  await page.goto('sandbox/webhooks');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Description').fill(description);
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
}

test('the pages about webhooks and events', async ({ page }) => {
  test.setTimeout(patienceMs);
  const receiver = await startReceiver();
  await signUp(page);
  await shoot(page, [
    { name: 'webhooks-none', address: 'sandbox/webhooks', ready: heading('Webhooks') },
    {
      name: 'webhooks-create',
      address: 'sandbox/webhooks',
      ready: heading('Webhooks'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Create webhook' }).click();
        await at.getByLabel('URL').fill('https://shop.tideway.example/kelpie');
        await at.getByLabel('Events').selectOption('chosen');
        await at.getByLabel('payout.completed').check();
      },
    },
  ]);
  await create(page, { url: receiver.url, description: 'Order system' });
  await take(page, { name: 'webhooks-secret' });
  receiver.secrets.push((await page.getByTestId('secret').textContent()) ?? '');
  await page.getByRole('button', { name: 'I copied the secret' }).click();
  // Nothing listens there, so it fails.
  await create(page, { url: 'http://127.0.0.1:9/hook', description: '' });
  const refused = page.getByText('It must use the default port or a port from 1024 to 65535.');
  await expect(refused).toBeVisible();
  await take(page, { name: 'webhooks-create-refused' });
  await page.getByLabel('URL').fill('http://127.0.0.1:1099/warehouse/events/incoming');
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('button', { name: 'I copied the secret' }).click();
  await orderPayout(page, grace);
  await orderPayout(page, { ...grace, lastName: 'Rejected', accountNumber: '12340000' });
  const failing = page.getByRole('row', { name: /Failing since/ });
  await expect(async () => {
    await page.reload();
    await expect(failing.first()).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await shoot(page, [{ name: 'webhooks', address: 'sandbox/webhooks', ready: heading('Webhooks') }]);
  await page.getByRole('link', { name: '127.0.0.1:1099' }).click();
  await heading('127.0.0.1:1099')(page);
  await expect(page.getByRole('table', { name: 'Deliveries' })).toBeVisible();
  await take(page, { name: 'webhook-failing' });
  await page.goto('sandbox/webhooks');
  await page.getByRole('link', { name: 'Order system' }).click();
  await expect(page.getByRole('row', { name: /payout\.failed.*Delivered/ })).toBeVisible();
  const webhook = page.url();
  await take(page, { name: 'webhook' });
  await page.getByRole('button', { name: 'Send test event' }).click();
  await expect(page.getByText('Thanks for webhook.test')).toBeVisible();
  await take(page, { name: 'webhook-test' });
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'payout.failed' }).click();
  await page.getByText('Attempt 1', { exact: true }).click();
  await take(page, { name: 'delivery' });
  await shoot(page, [
    {
      name: 'webhook-roll',
      address: webhook,
      ready: heading('Order system'),
      prepare: async (at) => at.getByRole('button', { name: 'Roll secret' }).click(),
    },
    {
      name: 'webhook-redeliver-since',
      address: webhook,
      ready: heading('Order system'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Redeliver everything since…' }).click();
        await at.getByLabel('Last sequence you have').fill('0');
        await at.getByRole('button', { name: 'Redeliver events' }).click();
        await expect(at.getByText(/sent again/)).toBeVisible();
      },
    },
    { name: 'events', address: 'sandbox/events', ready: heading('Events') },
  ]);
  await page.getByRole('link', { name: 'Payout failed' }).click();
  await heading('Payout failed')(page);
  await take(page, { name: 'event' });
  await receiver.close();
});
