import type { ActivityEntry } from '@kelpie/sdk';

export type Kind = 'all' | 'changes' | 'failed' | 'people' | 'keys';

export const kinds: readonly { value: Kind; label: string }[] = [
  { value: 'all', label: 'Everything' },
  { value: 'changes', label: 'Without reads' },
  { value: 'failed', label: 'Failures' },
  { value: 'people', label: 'By people' },
  { value: 'keys', label: 'By API keys' },
];

export function kindFrom(text: string | null): Kind {
  return kinds.find(({ value }) => value === text)?.value ?? 'all';
}

const reads = /\.(get|list|history|days|items|pdf)$/;

function isDoneByPerson({ by, status }: Pick<ActivityEntry, 'by' | 'status'>): boolean {
  return by.includes('@') && status !== null && status < 400;
}

export function fits({ action, status, by }: ActivityEntry, kind: Kind): boolean {
  switch (kind) {
    case 'all':
      return true;
    case 'changes':
      // What people read is in the list where it was refused, or where it is a file that they took: a file leaves the house.
      return isDoneByPerson({ by, status }) || (!reads.test(action) && action !== 'quote.create');
    case 'failed':
      return status === null || status >= 400;
    case 'people':
      return by.includes('@');
    case 'keys':
      return by.startsWith('kp_');
  }
}

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether what it was about is a payout that can be looked at. */
export function isPayoutId({ action, detail, status }: ActivityEntry): boolean {
  return action.startsWith('payout.') && (status ?? 500) < 400 && detail !== null && idForm.test(detail);
}
