import type { BenchPartners } from './bench-partners.ts';
import { plantedAPartner, readersOf } from './create-call.ts';
import { keyMark } from './load-plan.ts';
import type { NumberedIds } from './numbered-ids.ts';

// Whole requests as partners send them, each in the one form in which it goes over the wire.

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

/** One for each payout that was planted. */
export function getRequests(partners: BenchPartners, payoutIds: NumberedIds): string[] {
  return partners.secrets
    .slice(0, readersOf(partners))
    .flatMap((secret, who) =>
      Array.from({ length: plantedAPartner }, (_, nth) =>
        request(`GET /v1/payouts/${payoutIds.at(who * plantedAPartner + nth)}`, secret),
      ),
    );
}

export function listRequests(partners: BenchPartners): string[] {
  return partners.secrets.slice(0, readersOf(partners)).map((secret) => request('GET /v1/payouts?limit=50', secret));
}
