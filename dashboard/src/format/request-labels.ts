import type { PayoutRequest } from '@kelpie/sdk';

const reasons: Readonly<Record<PayoutRequest['reasons'][number], string>> = {
  amount: 'Large amount',
  new_payee: 'New recipient',
  key: 'API key',
};

/** Which rules ask for approval, in words. */
export function reasonsText({ reasons: named }: Pick<PayoutRequest, 'reasons'>): string {
  return named.map((reason) => reasons[reason]).join(', ');
}

export const requestStatusLabels: Readonly<Record<PayoutRequest['status'], string>> = {
  open: 'Waits for approval',
  approved: 'Approved',
  declined: 'Declined',
  expired: 'Expired',
};
