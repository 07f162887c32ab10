import { ledgerEvents, openWallet, postTransfers } from '../ledger/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { insertPartner, insertEnvironment } from './store.ts';

/** What a new sandbox wallet holds: 10,000.00 USDC of test money. */
export const sandboxFloat = 10_000_000_000n;

export interface NewPartner {
  /** The transaction must be this partner's: row security lets it write for nobody else. */
  id: string;
  slug: string;
  name: string;
}

/** A new partner with a sandbox that can pay at once, on the simulated rail; a job connects it to the sandbox bank. */
export async function openSandbox(tx: Transaction, clock: Clock, partner: NewPartner): Promise<PartnerContext> {
  const at = clock.now();
  const partnerEnvironment = { partnerId: partner.id, environment: 'sandbox' } as const;
  await insertPartner(tx, { ...partner, createdAt: at });
  await insertEnvironment(tx, partnerEnvironment, at);
  await openWallet(tx, partnerEnvironment);
  const id = newId(clock);
  const lines = ledgerEvents.deposit(sandboxFloat);
  await postTransfers(tx, [{ ...partnerEnvironment, id, causeId: id, reason: 'sandbox.float', lines }]);
  return partnerEnvironment;
}
