/** Where dots in the name make no difference, and the domains that mean the same. */
const dotless: ReadonlyMap<string, string> = new Map([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
]);

/**
 * The mailbox that an address most likely reaches: `Ada.L+1@gmail.com` is `adal@gmail.com`. Only limits on emails count by it.
 * Who a person is goes by the address itself: at some domains these are two people.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  const [name = ''] = email.slice(0, at).toLowerCase().split('+', 1);
  const known = dotless.get(domain);
  return known === undefined ? `${name}@${domain}` : `${name.replaceAll('.', '')}@${known}`;
}
