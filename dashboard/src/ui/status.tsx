import type { PayoutStatus } from '@kelpie/sdk';
import { statusLabels } from '../format/payout-labels.ts';
import { classNames } from './class-names.ts';

const marks: Readonly<Record<PayoutStatus, { colour: string; path: string }>> = {
  pending: { colour: 'text-pending', path: 'M6 3.400V6l1.800 1.200' },
  processing: { colour: 'text-processing', path: 'M3.600 6h4.600M6.400 4 8.400 6l-2 2' },
  completed: { colour: 'text-completed', path: 'M3.600 6.200 5.300 7.900 8.500 4.300' },
  failed: { colour: 'text-failed', path: 'M4.200 4.200l3.600 3.600M7.800 4.200 4.200 7.800' },
  cancelled: { colour: 'text-cancelled', path: 'M3.800 6h4.400' },
  returned: { colour: 'text-returned', path: 'M8.400 6H3.800M5.600 4 3.600 6l2 2' },
};

/** A word with a small mark, never colour alone. Other things than payouts borrow the mark of what is most like them. */
export function Marked({ mark, children }: { mark: PayoutStatus; children: string }) {
  const { colour, path } = marks[mark];
  return (
    <span className={classNames('inline-flex items-center gap-1.5 font-medium whitespace-nowrap', colour)}>
      <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true" fill="none" stroke="currentColor">
        <circle cx="6" cy="6" r="5.200" strokeWidth="1.200" opacity="0.7" />
        <path d={path} strokeWidth="1.300" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
      {children}
    </span>
  );
}

export function Status({ status }: { status: PayoutStatus }) {
  return <Marked mark={status}>{statusLabels[status].label}</Marked>;
}
