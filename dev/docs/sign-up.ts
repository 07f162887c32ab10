import { randomBytes } from 'node:crypto';
import { eventually } from '../eventually.ts';
import { listAt, textAt, valueAt } from '../json.ts';
import { signUpBusiness } from '../seed-people.ts';

/** A running stack, as `npm run dev` writes it down. */
export interface Addresses {
  url: string;
  mailUrl: string;
}

export function addressesIn(found: unknown): Addresses {
  return { url: textAt(found, 'url'), mailUrl: textAt(found, 'mailUrl') };
}

/** The newest email to an address, read from the page that shows the inbox. */
async function waitForMail(mailUrl: string, to: string): Promise<{ text: string }> {
  return eventually(`an email to ${to}`, async () => {
    const mails: unknown = await (await fetch(`${mailUrl}/mails`)).json();
    const found = listAt({ mails }, 'mails').find((mail) => listAt(mail, 'to').includes(to));
    return found === undefined ? undefined : { text: textAt(found, 'text') };
  });
}

/** Signs a business up as a person does, and returns a sandbox key. It pays at once, and is connected to the bank soon after. */
export async function signUpForKey({ url, mailUrl }: Addresses): Promise<string> {
  const slug = `docs-${randomBytes(4).toString('hex')}`;
  const business = { slug, name: 'Docs', adminEmail: `ada@${slug}.example`, viewerEmail: `grace@${slug}.example` };
  const inbox = { waitForMail: async (to: string) => waitForMail(mailUrl, to) };
  return signUpBusiness({ url, origin: new URL(url).origin, inbox }, business);
}

/** Until the sandbox bank serves it: the controls of the sandbox need that bank. */
export async function untilAtBank({ url }: Addresses, key: string): Promise<void> {
  await eventually('the new partner is connected to the sandbox bank', async () => {
    const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    return valueAt(await answer.json(), 'rail') === 'provider_sandbox';
  });
}
