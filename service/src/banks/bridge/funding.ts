import type { BankFunding, FundingSource } from '../port/funding.ts';
import type { BridgeClient } from './client.ts';
import {
  accountFrom,
  addressFrom,
  depositPageFrom,
  existingIn,
  liquidationAddressBody,
  openAccountOutcome,
  openAddressOutcome,
  virtualAccountBody,
} from './funding-mapping.ts';

/** Nobody waits for these. */
const openTimeoutMs = 10_000;
const readTimeoutMs = 8_000;
const pageSize = 100;

function pathOf({ method, customerId, sourceId }: FundingSource): string {
  const customer = `/customers/${encodeURIComponent(customerId)}`;
  const source = encodeURIComponent(sourceId);
  return method === 'bank_transfer'
    ? `${customer}/virtual_accounts/${source}/history`
    : `${customer}/liquidation_addresses/${source}/drains`;
}

/** How a wallet is topped up. One that the bank has for the wallet already is taken, whoever opened it and whenever. */
export function fundingOf(client: BridgeClient): BankFunding {
  const list = async (path: string) => client.get(`${path}?limit=${pageSize}`, readTimeoutMs, 'fund');
  const post = async (path: string, body: object, idempotencyKey: string) =>
    client.post(path, body, { purpose: 'fund', idempotencyKey, timeoutMs: openTimeoutMs });
  return {
    async openAccount({ customerId, walletId, idempotencyKey }) {
      const path = `/customers/${encodeURIComponent(customerId)}/virtual_accounts`;
      const known = existingIn(await list(path), (entry) => accountFrom(entry, walletId));
      if (known.kind === 'failed') return known;
      if (known.found !== undefined) return { kind: 'opened', ...known.found };
      return openAccountOutcome(await post(path, virtualAccountBody(walletId), idempotencyKey), walletId);
    },
    async openAddress({ customerId, walletId, idempotencyKey }) {
      const path = `/customers/${encodeURIComponent(customerId)}/liquidation_addresses`;
      const known = existingIn(await list(path), (entry) => addressFrom(entry, walletId));
      if (known.kind === 'failed') return known;
      if (known.found !== undefined) return { kind: 'opened', ...known.found };
      return openAddressOutcome(await post(path, liquidationAddressBody(walletId), idempotencyKey), walletId);
    },
    async listDeposits(source, after) {
      const cursor = after === null ? '' : `&starting_after=${encodeURIComponent(after)}`;
      const path = `${pathOf(source)}?limit=${pageSize}${cursor}`;
      return depositPageFrom(await client.get(path, readTimeoutMs, 'fund'), source.method, pageSize);
    },
  };
}
