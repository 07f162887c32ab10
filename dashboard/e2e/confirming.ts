import { expect, type Locator, type Page } from '@playwright/test';
import { countCodes, mailedCode } from './mail.ts';

interface Act {
  /** Who is signed in, and gets the code. */
  email: string;
  /** The name of the button, in the dialog and beside the code. */
  button: string;
  /** What is there once it is done; by default, the dialog is gone. */
  done?: Locator;
}

/** Does something that asks for an emailed code, and gives it. */
export async function doConfirmed(page: Page, { email, button, done }: Act): Promise<void> {
  const sent = await countCodes(email);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: button }).click();
  await page.getByLabel('6-digit code').fill(await mailedCode(email, sent + 1));
  await dialog.getByRole('button', { name: button }).click();
  if (done === undefined) await expect(dialog).toHaveCount(0);
  else await expect(done).toBeVisible();
}
