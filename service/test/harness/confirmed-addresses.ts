import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from './database.ts';

/** As if the links to the contact and the billing address of these partners had been opened. */
export async function confirmPlantedAddresses(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  ...partnerIds: readonly string[]
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `update kelpie.partners
       set contact_email_confirmed_at = case when contact_email is not null then now() end,
         billing_email_confirmed_at = case when billing_email is not null then now() end
       where id = any ($1)`,
      [partnerIds],
    ),
  );
}

/** What follows the # in the link of an email that asks its reader to confirm the address. */
export function addressToken({ text }: { text: string }): string {
  const [, token] = /\/confirm-address#(\S+)/.exec(text) ?? [];
  if (token === undefined) throw new Error('an email without a link to confirm its address');
  return token;
}
