import type { BenchPartners } from './bench-partners.ts';
import { keyMark } from './load-plan.ts';

// Whole requests as partners send them, each in the one form in which it goes over the wire.

/** A payout to read, and the key of the partner that can read it. */
export interface PlantedPayout {
  id: string;
  secret: string;
}

function orderOf(amount: string): string {
  return JSON.stringify({ amount_gbp: amount, ...order });
}

const order = {
  reference: 'Order 42',
  recipient: {
    first_name: 'Ada',
    last_name: 'Byron',
    email: 'ada@example.test',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  },
};

/** What every payout of a comparison orders. */
export const orderBody = orderOf('25.00');

function request(start: string, secret: string, more: readonly string[] = [], content = ''): string {
  const head = [`${start} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${secret}`, ...more];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

/** One for each partner. */
export function createRequests({ secrets }: Pick<BenchPartners, 'secrets'>, amount?: string): string[] {
  const body = amount === undefined ? orderBody : orderOf(amount);
  const headers = [
    `Idempotency-Key: ${keyMark}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return secrets.map((secret) => request('POST /v1/payouts', secret, headers, body));
}

/** One for each planted payout. */
export function getRequests(planted: readonly PlantedPayout[]): string[] {
  return planted.map(({ id, secret }) => request(`GET /v1/payouts/${id}`, secret));
}

/** One for each partner that has planted payouts. */
export function listRequests(planted: readonly PlantedPayout[]): string[] {
  const secrets = new Set(planted.map(({ secret }) => secret));
  return [...secrets].map((secret) => request('GET /v1/payouts?limit=50', secret));
}
