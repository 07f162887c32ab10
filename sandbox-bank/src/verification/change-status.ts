import { insertCustomer, setEndorsement } from '../customers.ts';
import type { Transaction } from '../database.ts';
import { recordEvents } from '../webhooks/events.ts';
import type { KycLink, KycStatus, TosStatus } from './kyc-link.ts';
import { kycLinkEvent } from './kyc-link-event.ts';

interface Change {
  kycStatus?: KycStatus;
  tosStatus?: TosStatus;
  /** Why it was refused, or what is missing. */
  reason?: string | null;
  at: Date;
}

/**
 * The one way by which a KYC link gets another status. With the terms accepted and the verification approved the customer
 * is there, and may pay out; after anything else it may no longer. Everyone who listens is told, in the same commit.
 */
export async function changeStatus(tx: Transaction, link: KycLink, change: Change): Promise<KycLink> {
  const { kycStatus = link.kyc_status, tosStatus = link.tos_status, reason = link.reason, at } = change;
  if (kycStatus === link.kyc_status && tosStatus === link.tos_status && reason === link.reason) return link;
  const isApproved = kycStatus === 'approved' && tosStatus === 'approved';
  const customerId = await endorse(tx, link, { isApproved, at });
  const { rows } = await tx.query<KycLink>(
    `update kyc_links set kyc_status = $2, tos_status = $3, reason = $4, customer_id = $5, updated_at = $6
     where id = $1 returning *`,
    [link.id, kycStatus, tosStatus, reason, customerId, at],
  );
  const [changed] = rows;
  if (changed === undefined) throw new Error('a locked KYC link is gone');
  await recordEvents(tx, [kycLinkEvent(link, changed)], at);
  return changed;
}

/** The customer behind the link, made where it is needed and not there yet. */
async function endorse(
  tx: Transaction,
  link: KycLink,
  { isApproved, at }: { isApproved: boolean; at: Date },
): Promise<string | null> {
  const isAsked = link.endorsements.includes('faster_payments');
  if (link.customer_id !== null) {
    if (isAsked) await setEndorsement(tx, link.customer_id, isApproved ? 'approved' : 'revoked');
    return link.customer_id;
  }
  if (!isApproved) return null;
  const { type, email, full_name: name } = link;
  const customer = {
    type,
    email,
    full_name: type === 'individual' ? name : null,
    business_name: type === 'business' ? name : null,
    faster_payments: isAsked ? 'approved' : null,
  } as const;
  return (await insertCustomer(tx, customer, at)).id;
}
