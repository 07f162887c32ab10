import type { ActivityEntry } from '@kelpie/sdk';
import { activityOutcome } from '../../format/activity-labels.ts';

export type Kind = 'all' | 'changes' | 'failed' | 'people' | 'keys';

export const kinds: readonly { value: Kind; label: string }[] = [
  { value: 'all', label: 'All activity' },
  { value: 'changes', label: 'Changes and downloads' },
  { value: 'failed', label: 'Refused or failed' },
  { value: 'people', label: 'By people' },
  { value: 'keys', label: 'By API keys' },
];

export function kindFrom(text: string | null): Kind {
  return kinds.find(({ value }) => value === text)?.value ?? 'all';
}

const reads = /\.(get|list|history|recipient|days|items|pdf|deliveries|delivery)$/;

export function fits(entry: ActivityEntry, kind: Kind): boolean {
  const { action, by } = entry;
  const outcome = activityOutcome(entry);
  switch (kind) {
    case 'all':
      return true;
    case 'changes':
      // A person's read is listed only where it was refused, or where it is a file that they downloaded.
      return (by.includes('@') && outcome === 'done') || (!reads.test(action) && action !== 'quote.create');
    case 'failed':
      return outcome === 'refused' || outcome === 'failed';
    case 'people':
      return by.includes('@');
    case 'keys':
      return by.startsWith('kp_');
  }
}

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the entry is about a payout that can be opened. */
export function isPayoutId(entry: ActivityEntry): boolean {
  const { action, detail } = entry;
  return action.startsWith('payout.') && activityOutcome(entry) === 'done' && detail !== null && idForm.test(detail);
}
