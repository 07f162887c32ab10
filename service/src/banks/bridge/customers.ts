import type { BankCustomers, BankVerification } from '../port/customers.ts';
import type { BridgeClient } from './client.ts';
import { customerBody, openedFrom, walletBody } from './mapping.ts';
import { findVerificationOutcome, kycLinkBody, startOutcome } from './verification-mapping.ts';

/** Nobody waits for it. */
const openTimeoutMs = 10_000;
/** A person may wait for these. */
const startTimeoutMs = 8_000;
const readTimeoutMs = 5_000;

/** How a partner becomes a customer of the bank: at once in a sandbox, and else after the bank has looked at it. */
export function customersOf(client: BridgeClient): BankCustomers & BankVerification {
  const open = async (path: string, body: object, idempotencyKey: string) =>
    openedFrom(await client.post(path, body, { purpose: 'open', idempotencyKey, timeoutMs: openTimeoutMs }));
  const openWallet: BankVerification['openWallet'] = async ({ customerId, idempotencyKey }) => {
    const wallet = await open(`/customers/${encodeURIComponent(customerId)}/wallets`, walletBody, idempotencyKey);
    return wallet.kind === 'failed'
      ? { kind: 'failed', text: `wallet: ${wallet.text}` }
      : { kind: 'opened', walletId: wallet.id };
  };
  return {
    openWallet,
    async openCustomer({ idempotencyKeys, ...customer }) {
      const opened = await open('/customers', customerBody(customer), idempotencyKeys.customer);
      if (opened.kind === 'failed') return { kind: 'failed', text: `customer: ${opened.text}` };
      const wallet = await openWallet({ customerId: opened.id, idempotencyKey: idempotencyKeys.wallet });
      return wallet.kind === 'failed' ? wallet : { ...wallet, customerId: opened.id };
    },
    async startVerification({ idempotencyKey, ...order }) {
      const options = { purpose: 'verify', idempotencyKey, timeoutMs: startTimeoutMs } as const;
      return startOutcome(await client.post('/kyc_links', kycLinkBody(order), options), order);
    },
    findVerification: async (id) =>
      findVerificationOutcome(await client.get(`/kyc_links/${encodeURIComponent(id)}`, readTimeoutMs, 'verify')),
  };
}
