import type { BankFunding, FundingMethod } from '../banks/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { firstReadAt } from './next-read.ts';
import type { FundingDeps } from './deps.ts';
import { encryptDetails } from './encrypted-details.ts';
import type { EnvironmentAtBank } from '../partners/index.ts';
import { insertSource, listMethods } from './source-store.ts';

type OpenDeps = Pick<FundingDeps, 'pool' | 'clock' | 'encryptor'>;
type OpenOutcome = { kind: 'opened' } | { kind: 'failed'; text: string };

const methods: readonly FundingMethod[] = ['bank_transfer', 'usdc'];

/**
 * Opens what a partner environment lacks of an account for pounds and an address for USDC. What the bank opened and we did not live to write
 * down is found again: by the same key within a day, and by the bank's own list at any time.
 */
export async function openFunding(
  deps: OpenDeps,
  bank: BankFunding,
  partnerEnvironment: EnvironmentAtBank,
): Promise<OpenOutcome> {
  const known = await inTransaction(deps.pool, partnerEnvironment, listMethods);
  for (const method of methods.filter((one) => !known.includes(one))) {
    const opened = await openMethod(deps, bank, { partnerEnvironment, method });
    if (opened.kind === 'failed') return opened;
  }
  return { kind: 'opened' };
}

async function openMethod(
  { pool, clock, encryptor }: OpenDeps,
  bank: BankFunding,
  { partnerEnvironment, method }: { partnerEnvironment: EnvironmentAtBank; method: FundingMethod },
): Promise<OpenOutcome> {
  const { partnerId, environment, customerId, walletId } = partnerEnvironment;
  const at = clock.now();
  const idempotencyKey = `${partnerId}-${environment}-${method}-${at.toISOString().slice(0, 10)}`;
  const order = { customerId, walletId, idempotencyKey };
  const id = newId(clock);
  // Something may have come before we knew of it; a webhook from now on makes it due at once.
  const dueAt = firstReadAt(at);
  const row = { id, partnerId, environment, method, at, dueAt, chain: null, address: null, detailsEncrypted: null };
  if (method === 'bank_transfer') {
    const opened = await bank.openAccount(order);
    if (opened.kind === 'failed') return opened;
    const { sourceId, details } = opened;
    const detailsEncrypted = encryptDetails(encryptor, id, details);
    await inTransaction(pool, partnerEnvironment, async (tx) =>
      insertSource(tx, { ...row, sourceId, detailsEncrypted }),
    );
    return { kind: 'opened' };
  }
  const opened = await bank.openAddress(order);
  if (opened.kind === 'failed') return opened;
  const { sourceId, chain, address } = opened;
  await inTransaction(pool, partnerEnvironment, async (tx) => insertSource(tx, { ...row, sourceId, chain, address }));
  return { kind: 'opened' };
}
