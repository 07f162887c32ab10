import type { ActivityEntry } from '@kelpie/sdk';

const actions: Readonly<Record<string, string>> = {
  'account.enter': 'Tried to change to another account',
  'account.get': 'Read the account',
  'account.update': 'Changed the settings',
  'activity.list': 'Read the activity',
  'balance.get': 'Read the balance',
  'compliance.get': 'Read the verification',
  'deposit.credit': 'A top-up came',
  'deposit.list': 'Listed the top-ups',
  'deposit.refund': 'A top-up was sent back',
  'deposit.reverse': 'A top-up was taken back',
  'funding.get': 'Read where to top up',
  'invoice.get': 'Read an invoice',
  'invoice.items': 'Listed what is on an invoice',
  'invoice.list': 'Listed the invoices',
  'invoice.pdf': 'Downloaded an invoice',
  'key.create': 'Created a key',
  'key.list': 'Listed the keys',
  'key.revoke': 'Revoked a key',
  'login.end': 'Signed out',
  'login.verify': 'Signed in',
  'member.change': 'Changed a role',
  'member.invite': 'Invited a person',
  'member.list': 'Listed the team',
  'member.remove': 'Removed a person',
  'payout.cancel': 'Cancelled a payout',
  'payout.create': 'Sent a payout',
  'payout.get': 'Read a payout',
  'payout.history': "Read a payout's history",
  'payout.list': 'Listed the payouts',
  'public_partner.get': 'Read a public page',
  'quote.create': 'Asked for a quote',
  'recipient.list': 'Listed the recipients',
  'request.unknown': 'Called an unknown address',
  'statement.get': 'Read a statement',
  'usage.days': 'Read the usage by day',
  'usage.get': 'Read the usage',
  'verification.start': 'Started the verification',
};

/** Of people only the files that they took are noted, and not what they looked at. */
const downloads: Readonly<Record<string, string>> = {
  'invoice.items': 'Downloaded what is on an invoice',
  'statement.get': 'Downloaded a statement',
};

/** What was asked, in words. An action that is newer than this page is shown as it is called. */
export function activityLabel({ action, by, status }: Pick<ActivityEntry, 'action' | 'by' | 'status'>): string {
  const isByPerson = by.includes('@') && status !== null && status < 400;
  return (isByPerson ? downloads[action] : undefined) ?? actions[action] ?? action;
}
