import { expect, test } from '@playwright/test';
import { countPaid, fillPayout, grace, isAtPayout, orderOf } from './paying.ts';
import { newAddress, signIn, signUp } from './people.ts';

test('a viewer sees everything and no action, and the API refuses what the pages do not offer', async ({
  page,
  browser,
}) => {
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  const id = await isAtPayout(page);
  const viewer = newAddress('vera');
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(viewer);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('cell', { name: viewer }).first()).toBeVisible();

  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, viewer);
  for (const screen of [
    '',
    '/payouts',
    `/payouts/${id}`,
    '/recipients',
    '/keys',
    '/team',
    '/security',
    '/settings',
    '/compliance',
  ]) {
    await theirs.goto(`sandbox${screen}`);
    await expect(theirs.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(theirs.getByRole('status', { name: 'Loading' })).toHaveCount(0);
    const actions =
      /New payout|Cancel payout|Pay again|Pay .+ again|Create|Roll|Revoke|Change limits|Invite|Edit|Save|Start verification|Send/;
    await expect(theirs.getByRole('button', { name: actions })).toHaveCount(0);
    await expect(theirs.getByRole('link', { name: /New payout|Pay again|Pay .+ again|Send first/ })).toHaveCount(0);
  }
  await theirs.goto('sandbox/payouts/new');
  await expect(theirs.getByText('Only admins can send payouts')).toBeVisible();

  const refused = await theirs.evaluate(
    async ({ id: payoutId, slug: own, order }) => {
      const asked: [string, string, unknown][] = [
        ['POST', '/v1/payouts?environment=sandbox', order],
        ['POST', `/v1/payouts/${payoutId}/cancel?environment=sandbox`, {}],
        ['POST', '/v1/keys?environment=sandbox', { environment: 'sandbox' }],
        ['POST', '/v1/members?environment=sandbox', { email: `x@${own}.example`, role: 'admin' }],
        ['PATCH', '/v1/account?environment=sandbox', { brand_color: '#000000' }],
        ['POST', '/v1/compliance/verification?environment=sandbox', {}],
      ];
      const answers = asked.map(async ([method, address, body]) => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
        const response = await fetch(address, { method, headers, body: JSON.stringify(body) });
        return `${response.status} ${await response.text()}`;
      });
      return Promise.all(answers);
    },
    // One that an admin could send: what is refused is refused for who asks.
    { id, slug, order: orderOf(grace) },
  );
  expect(refused).toHaveLength(6);
  for (const answer of refused) expect(answer).toMatch(/^403 .*api_key_required/);
  // The admin's, and no other.
  expect(await countPaid(theirs, 'sandbox')).toBe(1);
});
