import type { Account, Limits } from '@kelpie/sdk';
import { formatPounds, penceOf } from '../../format/money.ts';
import { formatTimestamp } from '../../format/time.ts';
import type { AttentionItem } from './attention-item.ts';

export function frozenItems(account: Pick<Account, 'is_frozen'> | undefined): AttentionItem[] {
  if (account?.is_frozen !== true) return [];
  const detail = 'No new payout is sent. Check who has access, then contact support';
  return [{ id: 'frozen', level: 'urgent', text: 'Live payouts are frozen', detail, to: '/security' }];
}

/** Worth a look once less than a tenth is left. */
const nearlyUsed = 10n;

function dailyItems({ limit_gbp: limit, left_gbp: left, resets_at: resetsAt }: Limits['daily']): AttentionItem[] {
  if (limit === null || left === null || penceOf(left) * nearlyUsed >= penceOf(limit)) return [];
  const resets = formatTimestamp(new Date(resetsAt));
  const isUsed = penceOf(left) === 0n;
  return [
    {
      id: 'daily limit',
      level: 'warning',
      text: isUsed ? 'Your daily limit is used up' : 'Your daily limit is nearly used up',
      detail: `${formatPounds(left)} of ${formatPounds(limit)} left until ${resets}`,
      to: '/security',
    },
  ];
}

/** A key that is still too new to pay all that it may. */
function newKeyItem({ id, key_prefix: prefix, limit_gbp: limit, full_limit_at: fullAt }: Limits['keys'][number]) {
  if (fullAt === null || limit === null) return [];
  const until = formatTimestamp(new Date(fullAt));
  return [
    {
      id: `key ${id}`,
      level: 'info',
      text: 'A new API key has a lower limit',
      detail: `${prefix}… can pay ${formatPounds(limit)} per day until ${until}`,
      to: '/keys',
    } satisfies AttentionItem,
  ];
}

export function limitItems(limits: Limits | undefined): AttentionItem[] {
  return limits === undefined ? [] : [...dailyItems(limits.daily), ...limits.keys.flatMap(newKeyItem)];
}
