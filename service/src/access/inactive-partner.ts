import { ApiError } from '../platform/api-error.ts';

/** A suspended or closed partner gains no keys and no people: they would work as soon as it is active again. */
export function refuseInactive(status: string): void {
  if (status !== 'suspended' && status !== 'closed') return;
  throw new ApiError({
    code: 'partner_not_active',
    message: `This account is ${status}. It cannot create keys or add admins and members.`,
    contactSupport: true,
  });
}
