import type { AdminPartner } from './store.ts';

/** Null if the partner can't be suspended. */
export function planSuspension({ status }: AdminPartner): { from: string; to: 'suspended' } | null {
  const canBe = status === 'active' || status === 'onboarding';
  return canBe ? { from: status, to: 'suspended' } : null;
}

/** A partner that is not verified goes back to sandbox only. */
export function planActivation({ status, verificationStatus }: AdminPartner): 'active' | 'onboarding' | null {
  if (status !== 'suspended') return null;
  return verificationStatus === 'approved' ? 'active' : 'onboarding';
}
