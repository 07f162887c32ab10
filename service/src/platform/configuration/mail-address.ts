/** One address, on one line, without a name and without anything that could make it two, or another header. */
const addressForm = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,190}$/u;

export function isMailAddress(text: string): boolean {
  return addressForm.test(text) && !/\p{Cc}/u.test(text);
}

/** Whom our mails are from. */
export interface MailSender {
  name: string;
  address: string;
  /** The part after the @: where the ids of our mails are at home. */
  domain: string;
}

const senderForm = /^(?:([^<>@",;:\\\p{Cc}]{1,60}) <([^<>]+)>|([^<>]+))$/u;
const domainForm = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** From "Kelpie <no-reply@kelpie.example>" or the address alone; undefined where it is neither. */
export function parseSender(text: string): MailSender | undefined {
  const [, name = '', named, alone] = senderForm.exec(text) ?? [];
  const address = named ?? alone ?? '';
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return isMailAddress(address) && domainForm.test(domain) ? { name: name.trim(), address, domain } : undefined;
}
