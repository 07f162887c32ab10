import { expect, test, type Request } from '@playwright/test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { mailedCode } from './mail.ts';
import { fillPayout, grace } from './paying.ts';
import { newAddress, signIn, signUp } from './people.ts';
import { stack } from './stack.ts';

/** The link of the invitation of one account to an address. */
async function invitationLink(email: string, slug: string): Promise<string> {
  return eventually('the invitation is in the inbox', async () => {
    const mails: unknown = await (await fetch(`${stack.mailUrl}/mails`)).json();
    const invitation = listAt({ mails }, 'mails')
      .filter((mail) => listAt(mail, 'to').includes(email))
      .map((mail) => /https?:\S+\/sign-in\?account=\S+/.exec(textAt(mail, 'text'))?.[0])
      .find((link) => link?.endsWith(`account=${slug}`));
    return invitation;
  });
}

test('who is a member of several accounts chooses one, goes to another, and an invitation leads to its own', async ({
  page,
  browser,
}) => {
  const shared = newAddress('joan');
  const businesses = [];
  for (const name of ['Tideway Coffee', 'Harbour Books']) {
    const context = await browser.newContext();
    const admin = await context.newPage();
    businesses.push(await signUp(admin, name));
    await admin.goto('sandbox/team');
    await admin.getByRole('button', { name: 'Invite member' }).click();
    await admin.getByLabel('Work email').fill(shared);
    await admin.getByRole('button', { name: 'Send invitation' }).click();
    await expect(admin.getByRole('cell', { name: shared }).first()).toBeVisible();
    await context.close();
  }
  const [, second] = businesses;

  // By the link of an invitation: no question is asked.
  await page.goto(await invitationLink(shared, second?.slug ?? ''));
  await page.getByLabel('Work email').fill(shared);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(shared, 1));
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.getByTitle(second?.name ?? '')).toBeVisible();

  await page.getByRole('button', { name: /joan/ }).click();
  await page.getByRole('menuitem', { name: 'Switch account' }).click();
  await page.getByRole('button', { name: /Tideway Coffee/ }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.getByTitle('Tideway Coffee')).toBeVisible();

  // Without a link, whoever has several is asked once the code is proven.
  const other = await (await browser.newContext()).newPage();
  await signIn(other, shared, { number: 2, lands: 'Choose an account' });
  await other.getByRole('button', { name: /Harbour Books/ }).click();
  await expect(other.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(other.getByTitle('Harbour Books')).toBeVisible();
});

test('a tab never pays from another account than the one that it shows', async ({ page, context, browser }) => {
  const { email } = await signUp(page, 'Tideway Coffee');
  const elsewhere = await browser.newContext();
  const { slug } = await signUp(await elsewhere.newPage(), 'Harbour Books', { email, number: 2 });
  await elsewhere.close();
  await fillPayout(page, 'sandbox', grace);
  await expect(page.getByText('Tideway Coffee, sandbox')).toBeVisible();

  const other = await context.newPage();
  await other.goto('sandbox');
  // This one hears of nothing until it sends.
  await page.route('**/v1/**', async (route) => (isSending(route.request()) ? route.fallback() : route.abort()));
  const entered = await other.evaluate(async (there) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/v1/auth/session', { method: 'PATCH', headers, body: JSON.stringify({ slug: there }) }))
      .status;
  }, slug);
  expect(entered).toBe(200);
  const answered = page.waitForResponse((response) => isSending(response.request()));
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  expect((await answered).status()).toBe(409);

  // Once it hears, it shows the account that the browser is in, and nothing of the other.
  await page.unroute('**/v1/**');
  await page.goto('sandbox/payouts');
  await expect(page.getByTitle('Harbour Books')).toBeVisible();
  await expect(page.getByText('No payouts yet')).toBeVisible();
});

function isSending(request: Request): boolean {
  return request.method() === 'POST' && new URL(request.url()).pathname === '/v1/payouts';
}
