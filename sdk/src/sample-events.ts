// Events as Kelpie sends them, for tests. The types come from the description, so a field that it gains is missed here at once.
import type { Event, EventType } from './resources/events.ts';
import type { PayoutStatus } from './resources/payouts.ts';

/** What the `data` of an event of this type is. */
export type DataOf<Type extends EventType> = Event extends infer One
  ? One extends Event
    ? Type extends One['type']
      ? One['data']
      : never
    : never
  : never;

function payout(
  status: PayoutStatus,
  failureCode: string | null = null,
  reason: string | null = null,
): DataOf<'payout.pending'> {
  return {
    id: '01a1e3b1-25c0-7c3a-9d2e-4f6b8a1c0e57',
    object: 'payout',
    environment: 'sandbox',
    status,
    idempotency_key: 'order-10045',
    reference: 'Order 10045',
    bank_reference: 'Order 10045',
    country: 'GB',
    amount_gbp: '850.00',
    fee_gbp: '9.49',
    wallet_sent_usdc: '1081.97',
    recipient: { name: 'Grace Hopper', account_last4: '5678' },
    failure_code: failureCode,
    failure_reason: reason,
    created_at: '2026-11-16T09:30:00.000Z',
    updated_at: '2026-11-16T09:30:04.000Z',
    created_via: 'api',
    duplicate_suspected: false,
  };
}

const request: DataOf<'payout_request.created'> = {
  id: '01a1e3b1-25c0-7b52-8e19-3d7c5a90f4b2',
  object: 'payout_request',
  environment: 'sandbox',
  status: 'open',
  idempotency_key: 'order-10045',
  amount_gbp: '850.00',
  reference: 'Order 10045',
  recipient: { name: 'Grace Hopper', account_last4: '5678' },
  reasons: ['amount'],
  requested_via: 'api',
  requested_by: 'kp_sandbox_4f9c2a71',
  created_at: '2026-11-16T09:30:00.000Z',
  expires_at: '2026-11-19T09:30:00.000Z',
  decided_at: null,
  decided_by: null,
  payout_id: null,
};
const decided = { decided_at: '2026-11-16T09:40:00.000Z', decided_by: 'ada@harbourgoods.example' };

const deposit: DataOf<'deposit.credited'> = {
  id: '01a1c554-5200-7a10-9c4b-8e2d6f1a5b03',
  object: 'deposit',
  environment: 'sandbox',
  status: 'credited',
  method: 'bank_transfer',
  amount_usdc: '997.50',
  fee_usdc: '2.50',
  sent_gbp: '800.00',
  gbp_per_usd: 0.8,
  reversed_usdc: null,
  sender: null,
  created_at: '2026-11-10T12:00:00.000Z',
  credited_at: '2026-11-10T12:04:00.000Z',
  updated_at: '2026-11-10T12:04:00.000Z',
};

const invoice: DataOf<'invoice.issued'> = {
  object: 'invoice',
  id: '01a22eec-7a00-7f21-8b3d-5c9e0a7d4b62',
  number: 'KP-000042',
  period: '2026-11',
  status: 'issued',
  billed_to: { name: 'Harbour Goods Ltd', email: 'billing@harbourgoods.example' },
  total_gbp: '15.00',
  carried_over_gbp: '0.00',
  issued_at: '2026-12-01T00:00:00.000Z',
  due_at: '2026-12-15T00:00:00.000Z',
  paid_gbp: '0.00',
  paid_on: null,
  voided_at: null,
  lines: [
    {
      kind: 'monthly_account',
      description: 'Monthly account, 2026-11',
      quantity: 1,
      unit_price_gbp: '15.00',
      amount_gbp: '15.00',
      items: 1,
    },
  ],
};

const key: DataOf<'key.created'> = {
  id: '01a05c00-03e0-7d5c-b0e1-6a2f9c4d8e13',
  environment: 'sandbox',
  key_prefix: 'kp_sandbox_4f9c2a71',
  label: 'Order system',
  scope: 'pay',
  networks: [],
  expires_at: null,
  daily_limit_gbp: null,
  full_limit_at: null,
  previous_key_prefix: null,
  previous_expires_at: null,
  created_at: '2026-11-16T09:30:00.000Z',
  last_used_at: null,
  revoked_at: null,
};

const member: DataOf<'member.added'> = {
  email: 'alan@harbourgoods.example',
  name: 'Alan Turing',
  role: 'viewer',
  last_login_at: null,
  created_at: '2026-11-16T09:30:00.000Z',
};

const account: DataOf<'account.paused'> = {
  object: 'account',
  id: '01a05bfb-7000-7b1f-8a44-2c9e5d7f1b36',
  environment: 'sandbox',
  status: 'active',
  is_paused: true,
};

/** The resource of each type, in the state that the type says. */
export const sampleData: { readonly [Type in EventType]: DataOf<Type> } = {
  'payout.pending': payout('pending'),
  'payout.processing': payout('processing'),
  'payout.completed': payout('completed'),
  'payout.failed': payout('failed', 'account_not_found', 'There is no account with this sort code and account number.'),
  'payout.cancelled': payout('cancelled'),
  'payout.returned': payout('returned', 'account_closed', "The recipient's account is closed."),
  'payout_request.created': request,
  'payout_request.approved': {
    ...request,
    ...decided,
    status: 'approved',
    payout_id: '01a1e3b1-25c0-7c3a-9d2e-4f6b8a1c0e57',
  },
  'payout_request.declined': { ...request, ...decided, status: 'declined' },
  'deposit.credited': deposit,
  'deposit.reversed': { ...deposit, status: 'reversed', reversed_usdc: '997.50' },
  'wallet.low': { object: 'wallet', environment: 'sandbox', balance_usdc: '412.50', wallet_low_usdc: '500.00' },
  'invoice.issued': invoice,
  'invoice.paid': { ...invoice, status: 'paid', paid_gbp: '15.00', paid_on: '2026-12-10' },
  'invoice.overdue': { ...invoice, status: 'overdue' },
  'key.created': key,
  'key.revoked': { ...key, revoked_at: '2026-11-17T09:30:00.000Z' },
  'member.added': member,
  'member.removed': member,
  'account.paused': account,
  'account.resumed': { ...account, is_paused: false },
};
