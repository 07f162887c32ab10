import type { ObjectEvent } from '../webhooks/events.ts';
import { describeKycLink, type KycLink } from './kyc-link.ts';

const notified = ['kyc_status', 'tos_status', 'customer_id'] as const;

/** What is told of a KYC link as it is now; `before` is null where it is new. */
export function kycLinkEvent(before: KycLink | null, link: KycLink): ObjectEvent {
  return {
    category: 'kyc_link',
    objectId: link.id,
    of: { kycLinkId: link.id },
    status: link.kyc_status,
    object: describeKycLink(link),
    changes: before === null ? null : changesBetween(before, link),
  };
}

function changesBetween(before: KycLink, link: KycLink): NonNullable<ObjectEvent['changes']> {
  const changed = notified.filter((field) => before[field] !== link[field]);
  return Object.fromEntries(changed.map((field) => [field, [before[field], link[field]] as const]));
}
