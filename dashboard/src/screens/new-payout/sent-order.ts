// An order that was sent and whose outcome is not known is remembered beyond the page, until it is known.
import type { CreatePayoutRequest } from '@kelpie/sdk';

/** Of which account and environment: in another one it is not to be seen. */
export interface OrderScope {
  account: string;
  environment: string;
}

/** Nothing of it says who is paid, or where. */
export interface SentOrder {
  key: string;
  digest: string;
  sentAtMs: number;
}

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

function nameOf({ account, environment }: OrderScope): string {
  return `kelpie.sent-order.${environment}.${account}`;
}

export function findSentOrder(memory: Memory, scope: OrderScope): SentOrder | undefined {
  const text = memory.getItem(nameOf(scope));
  if (text === null) return undefined;
  const [key, digest, sentAt] = text.split(' ');
  if (key === undefined || digest === undefined || sentAt === undefined) return undefined;
  return { key, digest, sentAtMs: Number(sentAt) };
}

export function rememberSentOrder(memory: Memory, scope: OrderScope, { key, digest, sentAtMs }: SentOrder): void {
  memory.setItem(nameOf(scope), `${key} ${digest} ${sentAtMs}`);
}

/** Only where it is still this one: another may have been sent since. */
export function forgetSentOrder(memory: Memory, scope: OrderScope, key: string): void {
  if (findSentOrder(memory, scope)?.key === key) memory.removeItem(nameOf(scope));
}

/** Different for any two payouts. It includes the random key, so that equal payouts do not show by equal digests. */
export async function digestOf(order: CreatePayoutRequest, key: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${key} ${JSON.stringify(order)}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
