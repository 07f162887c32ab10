import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { newId } from '../ids.ts';
import { recordEvents } from '../webhooks/events.ts';
import { describeKycLink, type KycLink } from './kyc-link.ts';
import { kycLinkEvent } from './kyc-link-event.ts';

type NewKycLink = Pick<KycLink, 'type' | 'full_name' | 'email' | 'endorsements' | 'redirect_uri' | 'bank_url'>;

/** An email has one KYC link for ever: who asks for a second is told of the first, as the provider does. */
export async function createKycLink(tx: Transaction, asked: NewKycLink, at: Date): Promise<KycLink> {
  const { rows } = await tx.query<KycLink>(
    `insert into kyc_links (id, type, full_name, email, endorsements, redirect_uri, bank_url, kyc_status, tos_status,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'not_started', 'pending', $8, $8)
     on conflict (lower(email)) do nothing returning *`,
    [newId(at), asked.type, asked.full_name, asked.email, asked.endorsements, asked.redirect_uri, asked.bank_url, at],
  );
  const [link] = rows;
  if (link === undefined) throw await duplicateOf(tx, asked.email);
  await recordEvents(tx, [kycLinkEvent(null, link)], at);
  return link;
}

async function duplicateOf(tx: Transaction, email: string): Promise<ApiError> {
  const { rows } = await tx.query<KycLink>('select * from kyc_links where lower(email) = lower($1)', [email]);
  const [existing] = rows;
  if (existing === undefined) throw new Error('a KYC link that was in the way is gone');
  return new ApiError({
    code: 'duplicate_record',
    message: 'A KYC link for this email already exists.',
    existing_kyc_link: describeKycLink(existing),
  });
}
