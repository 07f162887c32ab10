import { expect, type Browser, type Page } from '@playwright/test';
import { mailedCode } from './mail.ts';
import { stack } from './stack.ts';

/** A page at localhost: browsers have passkeys for a name only, and not for an address. */
export async function openAtLocalhost(browser: Browser): Promise<Page> {
  const { protocol, port } = new URL(stack.url);
  const context = await browser.newContext({ baseURL: `${protocol}//localhost:${port}/dashboard/` });
  return context.newPage();
}

/** Chromium's own authenticator, with a person who is always there. */
export async function addAuthenticator(page: Page): Promise<void> {
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

/** Of who has just signed up, and has no other code yet: the first passkey takes one. */
export async function addFirstPasskey(page: Page, { email, name }: { email: string; name: string }): Promise<void> {
  await page.goto('sandbox/security');
  await page.getByLabel('Name of the passkey').fill(name);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(email, 2));
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('table', { name: 'Passkeys' }).getByText(name)).toBeVisible();
}
