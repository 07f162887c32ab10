import type { Account } from '@kelpie/sdk';
import type { AttentionItem } from './attention-item.ts';

export function frozenItems(account: Pick<Account, 'is_frozen'> | undefined): AttentionItem[] {
  if (account?.is_frozen !== true) return [];
  const detail = 'No new payout is sent. Check who has access, then contact support';
  return [{ id: 'frozen', level: 'urgent', text: 'Live payouts are frozen', detail, to: '/security' }];
}
