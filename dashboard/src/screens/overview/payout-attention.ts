// Which payouts need a look. The API looks at so many payouts for one answer: a page that is not full though there is a next one
// says nothing of those that it has not looked at.
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
    text: `${whatTo(payout)} is still ${payout.status}`,
    detail: 'It takes longer than usual. We keep asking the bank',
    to: `/payouts/${payout.id}`,
  };
}

function troubledPayoutItem(payout: Payout): AttentionItem {
  return {
    id: payout.id,
    text: `${whatTo(payout)} ${payout.status === 'failed' ? 'failed' : 'came back'}`,
    detail: payout.failure_reason ?? 'See what to do',
    to: `/payouts/${payout.id}`,
  };
}

const moreOpen: AttentionItem = {
  id: 'more open',
  text: 'More payouts take longer than usual',
  detail: 'See all that are under way',
  to: underWay,
};

const moreTroubled: AttentionItem = {
  id: 'more troubled',
  text: 'More payouts failed or came back',
  detail: 'See all of them',
  to: '/payouts?status=failed,returned',
};

export function openPayoutItems(found: Found, limit: number): AttentionItem[] {
  const payouts = found?.data ?? [];
  return [...payouts.map(openPayoutItem), ...(found?.next !== undefined && payouts.length === limit ? [moreOpen] : [])];
}

/** Those of the days before they were read. Where one of them is older, so are those that come after it. */
export function troubledPayoutItems(found: Found, limit: number, readAtMs: number): AttentionItem[] {
  const payouts = (found?.data ?? []).filter(({ updated_at: at }) => Date.parse(at) > readAtMs - newForMs);
  return [
    ...payouts.map(troubledPayoutItem),
    ...(found?.next !== undefined && payouts.length === limit ? [moreTroubled] : []),
  ];
}

/** Whether payouts are left that were not looked at. */
export function isCutOff(found: Found, limit: number): boolean {
  return found?.next !== undefined && found.data.length < limit;
}
