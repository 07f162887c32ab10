// Payouts that need attention. The API searches a limited number of payouts per request, so a page that is not full but has a
// next one says nothing about those it has not searched.
import type { Page, Payout } from '@kelpie/sdk';
import { formatPounds } from '../../format/money.ts';
import type { AttentionItem } from './attention-item.ts';

type Found = Page<Payout> | undefined;

const newForMs = 7 * 24 * 3_600_000;

export const underWay = '/payouts?status=pending,processing';

function whatTo({ amount_gbp: amount, recipient }: Payout): string {
  return `${formatPounds(amount)} to ${recipient.name ?? 'a recipient'}`;
}

function openPayoutItem(payout: Payout): AttentionItem {
  return {
    id: `open ${payout.id}`,
    level: 'warning',
    text: `${whatTo(payout)} is still ${payout.status}`,
    detail: 'This is taking longer than usual. We keep checking with the bank',
    to: `/payouts/${payout.id}`,
  };
}

function troubledPayoutItem(payout: Payout): AttentionItem {
  return {
    id: payout.id,
    level: 'warning',
    text: `${whatTo(payout)} ${payout.status === 'failed' ? 'failed' : 'was returned'}`,
    detail: payout.failure_reason ?? 'Open the payout to see what to do',
    to: `/payouts/${payout.id}`,
  };
}

const moreOpen: AttentionItem = {
  id: 'more open',
  level: 'warning',
  text: 'More payouts are taking longer than usual',
  detail: 'View all payouts in progress',
  to: underWay,
};

const moreTroubled: AttentionItem = {
  id: 'more troubled',
  level: 'warning',
  text: 'More payouts failed or were returned',
  detail: 'View all failed and returned payouts',
  to: '/payouts?status=failed,returned',
};

export function openPayoutItems(found: Found, limit: number): AttentionItem[] {
  const payouts = found?.data ?? [];
  return [...payouts.map(openPayoutItem), ...(found?.next !== undefined && payouts.length === limit ? [moreOpen] : [])];
}

/** Only recent ones. The list is sorted by time, so all after an older one are older too. */
export function troubledPayoutItems(found: Found, limit: number, readAtMs: number): AttentionItem[] {
  const payouts = (found?.data ?? []).filter(({ updated_at: at }) => Date.parse(at) > readAtMs - newForMs);
  return [
    ...payouts.map(troubledPayoutItem),
    ...(found?.next !== undefined && payouts.length === limit ? [moreTroubled] : []),
  ];
}

/** Whether some payouts were not searched. */
export function isCutOff(found: Found, limit: number): boolean {
  return found?.next !== undefined && found.data.length < limit;
}
