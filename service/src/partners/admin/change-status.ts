import type { AdminPartner } from './store.ts';

export interface StatusPlan {
  action: 'partner.suspend' | 'partner.activate';
  from: string;
  to: string;
}

/** Null if the partner can't be suspended. */
export function planSuspension({ status }: AdminPartner): StatusPlan | null {
  const canBe = status === 'active' || status === 'onboarding';
  return canBe ? { action: 'partner.suspend', from: status, to: 'suspended' } : null;
}

/** A partner that is not verified goes back to sandbox only. */
export function planActivation({ status, verificationStatus }: AdminPartner): StatusPlan | null {
  if (status !== 'suspended') return null;
  const to = verificationStatus === 'approved' ? 'active' : 'onboarding';
  return { action: 'partner.activate', from: status, to };
}
