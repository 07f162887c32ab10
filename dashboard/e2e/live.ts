import { expect, type Page } from '@playwright/test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { controlBank, type Environment } from './bank.ts';
import { findText } from './database.ts';
import { stack } from './stack.ts';

/** What a person does on the pages of the bank, and the bank then decides. */
async function approveAtBank(slug: string): Promise<void> {
  const id = await findText(
    `select v.id as found from kelpie.verifications v join kelpie.partners p on p.id = v.partner_id
     where p.slug = $1 order by v.started_at desc limit 1`,
    [slug],
  );
  await controlBank('live', `kyc-links/${id}/approve`);
}

/** What is sent to a partner's account at a bank, by whoever. */
export async function topUp(
  { slug, environment }: { slug: string; environment: Environment },
  sent: { amountGbp: string; from: string; reference: string },
): Promise<void> {
  const account = await eventually('the bank has opened the account', async () =>
    findText(
      `select s.source_id as found from kelpie.funding_sources s join kelpie.partners p on p.id = s.partner_id
       where p.slug = $1 and s.environment = $2 and s.method = 'bank_transfer'`,
      [slug, environment],
    ),
  );
  await controlBank(environment, 'deposits', {
    virtual_account_id: account,
    amount_gbp: sent.amountGbp,
    sender_name: sent.from,
    reference: sent.reference,
  });
}

/** Verifies the business of whoever is signed in, and fills its live wallet. */
export async function openLive(page: Page, slug: string): Promise<void> {
  await page.goto('live/compliance');
  await page.getByRole('button', { name: 'Start verification' }).click();
  await expect(page.getByRole('link', { name: 'Continue verification' })).toBeVisible();
  await approveAtBank(slug);
  const ask = async (path: string): Promise<string> => {
    const answer = await page.request.get(`${stack.url}${path}`, { headers: { 'sec-fetch-site': 'same-origin' } });
    return answer.text();
  };
  await eventually('live is open', async () => (await ask('/v1/auth/session')).includes('"has_live":true'));
  const sent = { amountGbp: '4000.00', from: 'Tideway Coffee Ltd', reference: 'Float' };
  await topUp({ slug, environment: 'live' }, sent);
  await eventually('the money is in the wallet', async () =>
    (await ask('/v1/deposits?environment=live')).includes('"credited"'),
  );
}
