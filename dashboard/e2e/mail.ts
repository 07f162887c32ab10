import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { stack } from './stack.ts';

/** The newest link of that form in a mail to the address, once there is one. */
export async function mailedLink(email: string, form: RegExp): Promise<string> {
  return eventually(`a link for ${email} is in the inbox`, async () => {
    const mails: unknown = await (await fetch(`${stack.mailUrl}/mails`)).json();
    return listAt({ mails }, 'mails')
      .filter((mail) => listAt(mail, 'to').includes(email))
      .map((mail) => form.exec(textAt(mail, 'text'))?.[0])
      .find((link) => link !== undefined);
  });
}

/** Every code that was mailed to an address, the newest first. */
async function codesTo(email: string): Promise<string[]> {
  const mails: unknown = await (await fetch(`${stack.mailUrl}/mails`)).json();
  return listAt({ mails }, 'mails')
    .filter((mail) => listAt(mail, 'to').includes(email))
    .flatMap((mail) => /^\s*(\d{6})\s*$/m.exec(textAt(mail, 'text'))?.[1] ?? []);
}

export async function countCodes(email: string): Promise<number> {
  return (await codesTo(email)).length;
}

/** The code in the newest mail to the address, once as many have come. */
export async function mailedCode(email: string, number = 1): Promise<string> {
  return eventually(`code ${number} for ${email} is in the inbox`, async () => {
    const codes = await codesTo(email);
    return codes.length >= number ? codes[0] : undefined;
  });
}
