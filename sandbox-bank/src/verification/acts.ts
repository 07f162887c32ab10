// What the pages and tests can do to a KYC link. Each act takes a locked link.
import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { changeStatus } from './change-status.ts';
import type { KycLink } from './kyc-link.ts';

/** What an act is given besides the link: when, and why where that matters. */
interface Circumstances {
  at: Date;
  reason: string | null;
}
type VerificationAct = (tx: Transaction, link: KycLink, circumstances: Circumstances) => Promise<KycLink>;

export const defaultReasons = {
  reject: 'The business could not be verified.',
  askForMore: 'A certificate of incorporation is missing.',
};

/** Only after the terms are accepted, and only once. */
export function canBeDecided({ kyc_status: kyc, tos_status: tos }: KycLink): boolean {
  return tos === 'approved' && kyc !== 'approved' && kyc !== 'offboarded';
}

function check(link: KycLink): void {
  if (canBeDecided(link)) return;
  const { kyc_status: kyc, tos_status: tos } = link;
  throw new ApiError({
    code: 'invalid_state',
    message: `A KYC link with status ${kyc} and terms ${tos} cannot be decided.`,
  });
}

const acceptTerms: VerificationAct = async (tx, link, { at }) => changeStatus(tx, link, { tosStatus: 'approved', at });

const approve: VerificationAct = async (tx, link, { at }) => {
  check(link);
  return changeStatus(tx, link, { kycStatus: 'approved', reason: null, at });
};

const reject: VerificationAct = async (tx, link, { at, reason }) => {
  check(link);
  return changeStatus(tx, link, { kycStatus: 'rejected', reason: reason ?? defaultReasons.reject, at });
};

const askForMore: VerificationAct = async (tx, link, { at, reason }) => {
  check(link);
  return changeStatus(tx, link, { kycStatus: 'incomplete', reason: reason ?? defaultReasons.askForMore, at });
};

const review: VerificationAct = async (tx, link, { at }) => {
  check(link);
  return changeStatus(tx, link, { kycStatus: 'under_review', reason: null, at });
};

/** By their names in addresses. */
export const verificationActs = {
  'accept-terms': acceptTerms,
  approve,
  reject,
  'ask-for-more': askForMore,
  review,
} as const satisfies Record<string, VerificationAct>;
