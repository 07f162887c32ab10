import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';

export const kycStatuses = [
  'not_started',
  'incomplete',
  'awaiting_questionnaire',
  'awaiting_ubo',
  'under_review',
  'approved',
  'rejected',
  'paused',
  'offboarded',
] as const;
export type KycStatus = (typeof kycStatuses)[number];

export const tosStatuses = ['pending', 'approved'] as const;
export type TosStatus = (typeof tosStatuses)[number];

/** A row of the table, as the driver gives it. */
export interface KycLink {
  id: string;
  type: 'individual' | 'business';
  full_name: string;
  email: string;
  endorsements: string[];
  redirect_uri: string | null;
  bank_url: string;
  kyc_status: KycStatus;
  tos_status: TosStatus;
  reason: string | null;
  customer_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Where a person clicks through it, below the bank's own address. */
export function pageOf({ id }: { id: string }): string {
  return `/verify/${id}`;
}

/** The KYC link in the words of the wire. */
export function describeKycLink(link: KycLink): object {
  const { reason } = link;
  const page = link.bank_url + pageOf(link);
  return {
    id: link.id,
    type: link.type,
    full_name: link.full_name,
    email: link.email,
    kyc_link: page,
    tos_link: `${page}/terms`,
    kyc_status: link.kyc_status,
    tos_status: link.tos_status,
    rejection_reasons:
      reason === null ? [] : [{ reason, developer_reason: reason, created_at: link.updated_at.toISOString() }],
    customer_id: link.customer_id,
    created_at: link.created_at.toISOString(),
  };
}

export async function getKycLink(tx: Transaction, id: string): Promise<KycLink> {
  const { rows } = await tx.query<KycLink>('select * from kyc_links where id = $1', [id]);
  return onlyOne(rows);
}

/** Locks it until the end of the transaction: of two decisions at once, the second builds on the first. */
export async function lockKycLink(tx: Transaction, id: string): Promise<KycLink> {
  const { rows } = await tx.query<KycLink>('select * from kyc_links where id = $1 for update', [id]);
  return onlyOne(rows);
}

function onlyOne([link]: readonly KycLink[]): KycLink {
  if (link === undefined) throw notFound('kyc link');
  return link;
}
