import type { CreatePayoutRequest, Payout } from '../src/index.ts';

export const apiKey = `kp_sandbox_${'5ec7e7'.repeat(8)}`;

export const order: CreatePayoutRequest = {
  amount_gbp: '25.00',
  reference: 'Order 42',
  recipient: {
    first_name: 'Ada',
    last_name: 'Byron',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  },
};

export const payout: Payout = {
  id: '019a8b5e-7c00-7000-8000-000000000042',
  object: 'payout',
  environment: 'sandbox',
  status: 'processing',
  idempotency_key: 'order-42',
  reference: 'Order 42',
  bank_reference: 'ORDER 42',
  country: 'GB',
  amount_gbp: '25.00',
  fee_gbp: '1.24',
  wallet_sent_usdc: '32.45',
  recipient: { name: 'Ada Byron', account_last4: '5678' },
  failure_code: null,
  failure_reason: null,
  created_at: '2026-11-15T10:00:00.000Z',
  updated_at: '2026-11-15T10:00:00.000Z',
  created_via: 'api',
  duplicate_suspected: false,
};
