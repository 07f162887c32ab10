import { randomBytes } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { doConfirmed } from './confirming.ts';
import { mailedCode } from './mail.ts';

export interface Business {
  name: string;
  slug: string;
  email: string;
}

function newName(): string {
  return randomBytes(4).toString('hex');
}

export function newAddress(who: string): string {
  return `${who}-${newName()}@tideway.example`;
}

/**
 * A new business, opened as a person would: form, mail, code. Ends on the overview of its sandbox. Whoever has an account
 * already says by which address, and how many codes it will have been sent by then.
 */
export async function signUp(
  page: Page,
  name = 'Tideway Coffee',
  { email = newAddress('ada'), number = 1 }: { email?: string; number?: number } = {},
): Promise<Business> {
  const business = { name, slug: `tideway-${newName()}`, email };
  await page.goto('sign-up');
  await page.getByLabel('Business name').fill(business.name);
  await page.getByLabel('Short name').fill(business.slug);
  await page.getByLabel('Your name').fill('Ada Byron');
  await page.getByLabel('Work email').fill(business.email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(business.email, number));
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  return business;
}

/** A member signs in. `number` is how many codes the address will have been sent by then, `lands` the page that comes. */
export async function signIn(
  page: Page,
  email: string,
  { number = 1, lands = 'Overview' }: { number?: number; lands?: string } = {},
): Promise<void> {
  await page.goto('sign-in');
  await page.getByLabel('Work email').fill(email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(email, number));
  await expect(page.getByRole('heading', { name: lands })).toBeVisible();
}

export async function inviteAdmin(page: Page, { email, by }: { email: string; by: string }): Promise<void> {
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Work email').fill(email);
  await page.getByLabel('Role').selectOption('admin');
  await doConfirmed(page, { email: by, button: 'Send invitation' });
  await expect(page.getByRole('button', { name: `Edit ${email}` })).toBeVisible();
}
