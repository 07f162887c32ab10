import { createHash } from 'node:crypto';
import type { BankAccountDetails } from '../banks/index.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import type { Encryptor } from '../platform/encryption.ts';
import { openDetails } from './encrypted-details.ts';
import { listShownSources } from './source-store.ts';

/** Where a partner sends its top-ups; null what it does not have yet. */
export interface Funding {
  reference: string;
  account: BankAccountDetails | null;
  address: { chain: string; address: string } | null;
}

/**
 * What to write with a bank transfer: the same for ever, and within the 18 characters that Faster Payments carries. The
 * account alone says whose it is; by this a person finds a transfer that was sent elsewhere.
 */
function referenceOf({ partnerId, environment }: PartnerContext): string {
  const digest = createHash('sha256').update(`${partnerId} ${environment}`).digest('hex');
  return `KELPIE ${digest.slice(0, 8).toUpperCase()}`;
}

export async function readFunding(
  { calls, encryptor }: { calls: SingleCalls; encryptor: Encryptor },
  of: PartnerContext,
): Promise<Funding> {
  const funding: Funding = { reference: referenceOf(of), account: null, address: null };
  for (const { id, chain, address, detailsEncrypted } of await listShownSources(calls, of)) {
    if (detailsEncrypted !== null) funding.account = openDetails(encryptor, id, detailsEncrypted);
    if (chain !== null && address !== null) funding.address = { chain, address };
  }
  return funding;
}
