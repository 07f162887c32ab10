/** What the events can be filtered by, in the words of the list. */
export const eventActions = [
  { value: 'all', label: 'All events' },
  { value: 'login.verify', label: 'Sign-ins' },
  { value: 'passkey.add', label: 'Passkeys added' },
  { value: 'passkey.remove', label: 'Passkeys removed' },
  { value: 'session.end', label: 'Sessions ended one by one' },
  { value: 'session.end_all', label: 'All sessions ended' },
  { value: 'key.create', label: 'API keys created' },
  { value: 'key.roll', label: 'API keys rolled' },
  { value: 'key.revoke', label: 'API keys revoked' },
  { value: 'member.invite', label: 'Members invited' },
  { value: 'member.change', label: 'Member roles changed' },
  { value: 'member.remove', label: 'Members removed' },
  { value: 'member.restore', label: 'Admins restored' },
  { value: 'limits.update', label: 'Limits changed' },
  { value: 'account.update', label: 'Email addresses changed' },
  { value: 'account.freeze', label: 'Live payouts frozen' },
] as const;

export type EventAction = (typeof eventActions)[number]['value'];

export function actionFrom(text: string | null): EventAction {
  return eventActions.find(({ value }) => value === text)?.value ?? 'all';
}
