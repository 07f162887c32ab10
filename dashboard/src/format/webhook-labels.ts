import type { Delivery, PayoutStatus, Webhook } from '@kelpie/sdk';
import { formatTimestamp } from './time.ts';

interface Label {
  label: string;
  /** The status of a payout that is most like it. */
  mark: PayoutStatus;
}

/** A URL without the part that all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '');
}

/** What people call a webhook. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description ?? URL.parse(url)?.host ?? url;
}

export function webhookStatus(webhook: Pick<Webhook, 'status' | 'failing_since'>): Label {
  const { status, failing_since: failingSince } = webhook;
  if (status === 'disabled') return { label: 'Disabled', mark: 'cancelled' };
  if (failingSince === null) return { label: 'Enabled', mark: 'completed' };
  return { label: `Failing since ${formatTimestamp(new Date(failingSince))}`, mark: 'failed' };
}

/** "All events", or how many types. */
export function typesLabel(types: Webhook['types']): string {
  if (types === null) return 'All events';
  return types.length === 1 ? (types[0] ?? '') : `${types.length} types`;
}

export const deliveryLabels: Readonly<Record<Delivery['status'], Label>> = {
  pending: { label: 'Pending', mark: 'pending' },
  delivered: { label: 'Delivered', mark: 'completed' },
  failed: { label: 'Failed', mark: 'failed' },
};

/** Why there was no answer, in a few words. */
const failures: Readonly<Record<string, string>> = {
  address_refused: 'Address not public',
  not_found: 'Host not found',
  connection_refused: 'Connection refused',
  connection_lost: 'Connection lost',
  tls: 'TLS error',
  timeout: 'No answer in time',
  invalid_url: 'Invalid URL',
  too_large_headers: 'Answer headers too large',
  proxy: 'Proxy error',
};

interface Outcome {
  status_code: number | null;
  failure: string | null;
}

/** A failure newer than this page is shown by its API name. */
export function outcomeLabel({ status_code: status, failure }: Outcome): string {
  if (status !== null) return String(status);
  return failure === null ? 'No answer' : (failures[failure] ?? failure);
}

export function isAccepted({ status_code: status }: Pick<Outcome, 'status_code'>): boolean {
  return status !== null && status >= 200 && status <= 299;
}
