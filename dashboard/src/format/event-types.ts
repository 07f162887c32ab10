import type { Event, EventType } from '@kelpie/sdk';

/** Every type that this version knows, in words. */
const labels: Readonly<Record<EventType, string>> = {
  'payout.pending': 'Payout pending',
  'payout.processing': 'Payout processing',
  'payout.completed': 'Payout completed',
  'payout.failed': 'Payout failed',
  'payout.cancelled': 'Payout cancelled',
  'payout.returned': 'Payout returned',
  'payout_request.created': 'Payout waits for approval',
  'payout_request.approved': 'Payout approved',
  'payout_request.declined': 'Payout declined',
  'deposit.credited': 'Top-up credited',
  'deposit.reversed': 'Top-up reversed',
  'wallet.low': 'Low balance',
  'invoice.issued': 'Invoice issued',
  'invoice.paid': 'Invoice paid',
  'invoice.overdue': 'Invoice overdue',
  'key.created': 'API key created',
  'key.revoked': 'API key revoked',
  'member.added': 'Member added',
  'member.removed': 'Member removed',
  'account.paused': 'Payouts paused',
  'account.resumed': 'Payouts resumed',
};

function isEventType(text: string): text is EventType {
  return Object.hasOwn(labels, text);
}

export const eventTypes: readonly EventType[] = Object.keys(labels).filter(isEventType);

/** A type newer than this page is shown by its API name. */
export function eventLabel(type: string): string {
  return isEventType(type) ? labels[type] : type;
}

/** The page of what an event is about, where there is one. */
export function pageOf({ data }: Event): { path: string; title: string } | undefined {
  if (!('object' in data)) return undefined;
  if (data.object === 'payout') return { path: `/payouts/${data.id}`, title: 'View payout' };
  if (data.object === 'payout_request') return { path: `/approvals?request=${data.id}`, title: 'View approval' };
  if (data.object === 'invoice') return { path: `/invoices/${data.id}`, title: 'View invoice' };
  return data.object === 'deposit' ? { path: '/deposits', title: 'View top-ups' } : undefined;
}
