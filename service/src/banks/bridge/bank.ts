import type { Agent } from 'undici';
import type { Bank } from '../port/payments.ts';
import type { BankCustomers, BankVerification } from '../port/customers.ts';
import type { BankFunding } from '../port/funding.ts';
import type { BankRecords } from '../port/records.ts';
import type { BankWalletTransfers } from '../port/wallet-transfers.ts';
import { createBridgeClient, type BridgeSettings } from './client.ts';
import { customersOf } from './customers.ts';
import { fundingOf } from './funding.ts';
import {
  balanceFrom,
  cancelOutcome,
  duplicateRecipientId,
  externalAccountBody,
  findOutcome,
  knownRecipientOutcome,
  ownerName,
  pageFrom,
  rateFrom,
  recallPageFrom,
  recipientFrom,
  registerOutcome,
  sendOutcome,
  transferBody,
  walletTransferBody,
} from './mapping.ts';

/** A caller waits for the first two, one after the other: together they stay under the 8 s that it is promised. */
const registerTimeoutMs = 3_000;
const sendTimeoutMs = 4_500;
const readTimeoutMs = 5_000;
const pageSize = 100;

/** The bank behind the rail, by Bridge's API. Its address decides whether that is the provider or an emulator of it. */
export function createBridgeBank(
  agent: Agent,
  settings: BridgeSettings,
): Bank & BankRecords & BankCustomers & BankVerification & BankFunding & BankWalletTransfers {
  const client = createBridgeClient(agent, settings);
  return {
    ...customersOf(client),
    ...fundingOf(client),
    readiness: () => client.readiness(),
    async registerRecipient({ customerId, recipient, idempotencyKey }) {
      // The bank would refuse the request itself, which reads as its own trouble and not as the recipient's.
      if (ownerName(recipient) === '') return { kind: 'rejected', text: 'the recipient has no visible name' };
      const accounts = `/customers/${encodeURIComponent(customerId)}/external_accounts`;
      const deadline = performance.now() + registerTimeoutMs;
      const answer = await client.post(accounts, externalAccountBody(recipient), {
        purpose: 'register',
        idempotencyKey,
        timeoutMs: registerTimeoutMs,
      });
      const known = duplicateRecipientId(answer);
      if (known === undefined) return registerOutcome(answer);
      const leftMs = Math.max(1, deadline - performance.now());
      // Part of the registration: what is left of its time may be too little, which says nothing about reads.
      const existing = await client.get(`${accounts}/${encodeURIComponent(known)}`, leftMs, 'register');
      return knownRecipientOutcome(existing, known, recipient);
    },
    sendPayment: async (order) =>
      sendOutcome(
        await client.post('/transfers', transferBody(order), {
          purpose: 'send',
          idempotencyKey: order.idempotencyKey,
          timeoutMs: sendTimeoutMs,
        }),
      ),
    transferBetweenWallets: async (order) =>
      sendOutcome(
        await client.post('/transfers', walletTransferBody(order), {
          purpose: 'fund',
          idempotencyKey: order.idempotencyKey,
          timeoutMs: readTimeoutMs,
        }),
      ),
    findPayment: async (paymentId) =>
      findOutcome(await client.get(`/transfers/${encodeURIComponent(paymentId)}`, readTimeoutMs)),
    cancelPayment: async (paymentId) =>
      cancelOutcome(await client.delete(`/transfers/${encodeURIComponent(paymentId)}`, readTimeoutMs)),
    findRate: async () => rateFrom(await client.get('/exchange_rates?from=usd&to=gbp', readTimeoutMs)),
    async listPayments(customerId, after, changedSince) {
      const cursor = after === null ? '' : `&starting_after=${encodeURIComponent(after)}`;
      const changed = changedSince === undefined ? '' : `&updated_after_ms=${changedSince.getTime()}`;
      const path = `/customers/${encodeURIComponent(customerId)}/transfers?limit=${pageSize}${cursor}${changed}`;
      return pageFrom(await client.get(path, readTimeoutMs));
    },
    findRecord: async (paymentId) =>
      findOutcome(await client.get(`/transfers/${encodeURIComponent(paymentId)}`, readTimeoutMs)),
    findRecipient: async ({ customerId, recipientId }) => {
      const account = `/customers/${encodeURIComponent(customerId)}/external_accounts/${encodeURIComponent(recipientId)}`;
      return recipientFrom(await client.get(account, readTimeoutMs));
    },
    async listRecalls(customerId, after) {
      const cursor = after === null ? '' : `&starting_after=${encodeURIComponent(after)}`;
      const path = `/funds_requests?customer_id=${encodeURIComponent(customerId)}&limit=${pageSize}${cursor}`;
      return recallPageFrom(await client.get(path, readTimeoutMs));
    },
    readBalance: async ({ customerId, walletId }) => {
      const wallet = `/customers/${encodeURIComponent(customerId)}/wallets/${encodeURIComponent(walletId)}`;
      return balanceFrom(await client.get(wallet, readTimeoutMs));
    },
  };
}
