import { ApiError } from '../../platform/api-error.ts';
import type { TokenLeases } from '../../platform/rate-limits/token-leases.ts';
import type { CodeDigests } from './codes.ts';

/** Refuses one more email of a kind to a mailbox that had its share, under whichever address. */
export type LimitMailbox = (kind: 'sign-up' | 'invitation' | 'address', email: string) => Promise<void>;

export function createMailboxLimit(leases: TokenLeases, { ofMailbox }: Pick<CodeDigests, 'ofMailbox'>): LimitMailbox {
  return async (kind, email) => {
    const verdict = await leases.take(`${kind}:${ofMailbox(email).toString('hex')}`);
    if (verdict.kind !== 'refused') return;
    throw new ApiError({
      code: 'rate_limited',
      message: 'This mailbox was sent too many emails. Retry after the number of seconds in Retry-After.',
      retryAfterSeconds: verdict.retryAfterSeconds,
    });
  };
}
