import type { DepositSender, FundingMethod } from '../banks/index.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { firstIdAt, lastId } from '../platform/ids.ts';
import type { Encryptor } from '../platform/encryption.ts';
import type { DepositState, ShownDeposit } from './deposit.ts';
import { openSender } from './encrypted-details.ts';
import { listShownDeposits } from './deposit-store.ts';

/** What a partner looks for among its deposits. What is left out fits all. */
export interface DepositFilters {
  states?: DepositState[];
  method?: FundingMethod;
  /** Both exclusive. */
  createdAfter?: Date;
  createdBefore?: Date;
}

/** With its sender, whom only the partner may see. */
export interface ListedDeposit {
  deposit: ShownDeposit;
  sender: DepositSender | null;
}

export interface ListedDeposits {
  deposits: ListedDeposit[];
  /** Where the next page begins; null after the last. */
  cursor: string | null;
}

/** A page of the partner's deposits, the newest first. */
export async function listDeposits(
  { calls, encryptor }: { calls: SingleCalls; encryptor: Encryptor },
  of: PartnerContext,
  { filters, cursor, limit }: { filters: DepositFilters; cursor: string | null; limit: number },
): Promise<ListedDeposits> {
  const { createdAfter, createdBefore } = filters;
  const createdBeforeId = createdBefore === undefined ? lastId : firstIdAt(createdBefore);
  const beforeCursor = cursor ?? lastId;
  const found = await listShownDeposits(calls, of, {
    fromId: firstIdAt(new Date(createdAfter === undefined ? 0 : createdAfter.getTime() + 1)),
    beforeId: createdBeforeId < beforeCursor ? createdBeforeId : beforeCursor,
    states: filters.states ?? null,
    method: filters.method ?? null,
    // One more than is asked for: it tells whether there is a next page.
    limit: limit + 1,
  });
  const deposits = found.slice(0, limit).map((deposit) => ({ deposit, sender: senderOf(encryptor, deposit) }));
  return { deposits, cursor: found.length > limit ? (deposits.at(-1)?.deposit.id ?? null) : null };
}

function senderOf(encryptor: Encryptor, { id, senderEncrypted }: ShownDeposit): DepositSender | null {
  return senderEncrypted === null ? null : openSender(encryptor, id, senderEncrypted);
}
