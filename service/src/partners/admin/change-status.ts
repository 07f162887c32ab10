import type { AdminPartner } from './store.ts';

export interface StatusPlan {
  action: 'partner.suspend' | 'partner.activate';
  from: string;
  to: string;
}

/** What suspending a partner means; null where there is nothing to suspend. */
export function planSuspension({ status }: AdminPartner): StatusPlan | null {
  const canBe = status === 'active' || status === 'onboarding';
  return canBe ? { action: 'partner.suspend', from: status, to: 'suspended' } : null;
}

/** One that is not verified goes back to where it was: to its sandbox, and no further. */
export function planActivation({ status, verificationStatus }: AdminPartner): StatusPlan | null {
  if (status !== 'suspended') return null;
  const to = verificationStatus === 'approved' ? 'active' : 'onboarding';
  return { action: 'partner.activate', from: status, to };
}
