import { expect, test, type Browser, type Page } from '@playwright/test';
import { mailedCode } from './mail.ts';
import { signIn, signUp } from './people.ts';
import { stack } from './stack.ts';

/** A page at localhost: browsers have passkeys for a name only, and not for an address. */
async function openPage(browser: Browser): Promise<Page> {
  const { protocol, port } = new URL(stack.url);
  const context = await browser.newContext({ baseURL: `${protocol}//localhost:${port}/dashboard/` });
  return context.newPage();
}

/** Chromium's own authenticator, with a person who is always there. */
async function addAuthenticator(page: Page): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  await tools.send('WebAuthn.enable');
  await tools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a passkey signs in after the code and confirms changes, and once required a stolen mailbox gets nothing', async ({
  browser,
}) => {
  const page = await openPage(browser);
  await addAuthenticator(page);
  const { email } = await signUp(page);
  await page.goto('sandbox/security');
  await page.getByLabel('Name of the passkey').fill('Laptop');
  const passkeys = page.getByRole('table', { name: 'Passkeys' });
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(email, 2));
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  await expect(passkeys.getByText('Laptop')).toBeVisible();

  // No code: the passkey confirms it.
  await page.getByRole('button', { name: 'Require passkeys' }).click();
  await expect(page.getByText('This account requires a passkey of every member.')).toBeVisible();

  await page.context().clearCookies({ name: '__Host-kelpie_session' });
  await signIn(page, email, { number: 3 });

  const thief = await openPage(browser);
  await thief.goto('sign-in');
  await thief.getByLabel('Work email').fill(email);
  await thief.getByRole('button', { name: 'Email me a code' }).click();
  const step = thief.waitForResponse((response) => response.url().includes('/v1/auth/passkey/options'));
  await thief.getByLabel('6-digit code').fill(await mailedCode(email, 4));
  // The code was right: Chromium now waits for a passkey that it does not have.
  expect((await step).status()).toBe(200);
  const read = await thief.evaluate(async () => (await fetch('/v1/members?environment=sandbox')).status);
  expect(read).toBe(401);
  await thief.goto('sandbox/security');
  await expect(thief.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
