import { expect, type Locator, type Page } from '@playwright/test';
import { countCodes, mailedCode } from './mail.ts';

interface Act {
  /** Who is signed in, and gets the code. */
  email: string;
  /** The name of the button, in the form and beside the code. */
  button: string;
  /** What is there once it is done; by default the page without a dialog over it. */
  done?: Locator;
}

/** Does something that asks for an emailed code, and gives it. */
export async function doConfirmed(page: Page, { email, button, done }: Act): Promise<void> {
  const sent = await countCodes(email);
  const after = done ?? page.getByRole('heading', { level: 1 });
  const code = page.getByLabel('6-digit code');
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
  await expect(code.or(after)).toBeVisible();
  if (await code.isVisible()) {
    await code.fill(await mailedCode(email, sent + 1));
    await page.getByRole('button', { name: button }).click();
  }
  await expect(after).toBeVisible();
}
