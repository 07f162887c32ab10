import type { ApiKey } from '@kelpie/sdk';
import { formatPounds } from '../../format/money.ts';
import { formatDate, formatTimestamp } from '../../format/time.ts';

type Restrictions = Pick<
  ApiKey,
  | 'scope'
  | 'networks'
  | 'expires_at'
  | 'daily_limit_gbp'
  | 'full_limit_at'
  | 'previous_key_prefix'
  | 'previous_expires_at'
>;

const namedNetworks = 2;

function fromNetworks(networks: readonly string[]): string {
  const named = networks.slice(0, namedNetworks).join(' and ');
  const others = networks.length - namedNetworks;
  return others > 0
    ? `Only from ${networks.slice(0, namedNetworks).join(', ')} and ${others} more`
    : `Only from ${named}`;
}

export function isExpired({ expires_at: expiresAt }: Pick<ApiKey, 'expires_at'>, nowMs: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs;
}

/** How a key is restricted, each in a few words. Empty for one that may do everything from everywhere. */
export function keyNotes(key: Restrictions, nowMs: number): string[] {
  const { scope, networks, expires_at: expiresAt, daily_limit_gbp: dailyLimit, full_limit_at: fullAt } = key;
  const { previous_key_prefix: previous, previous_expires_at: previousUntil } = key;
  const isLater = (at: string | null): at is string => at !== null && Date.parse(at) > nowMs;
  return [
    ...(scope === 'read' ? ['Read only'] : []),
    ...(networks.length === 0 ? [] : [fromNetworks(networks)]),
    ...(dailyLimit === null ? [] : [`${formatPounds(dailyLimit)} per day`]),
    ...(isLater(fullAt) ? [`Full limit from ${formatTimestamp(new Date(fullAt))}`] : []),
    ...(isLater(expiresAt) ? [`Expires ${formatDate(new Date(expiresAt))}`] : []),
    ...(previous !== null && isLater(previousUntil)
      ? [`Previous secret ${previous}… works until ${formatTimestamp(new Date(previousUntil))}`]
      : []),
  ];
}
