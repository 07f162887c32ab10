import type { Pence } from '../money/amounts.ts';

/** `pay` creates and cancels payouts, and reads; `read` only reads. */
export type KeyScope = 'pay' | 'read';

/** What a key may do. It is fixed when the key is created. */
export interface KeyAuthority {
  scope: KeyScope;
  /** Ranges in CIDR notation; none is anywhere. */
  networks: readonly string[];
  expiresAt: Date | null;
  dailyLimit: Pence | null;
}

/** A key may do everything and works everywhere, unless its creator says otherwise. */
export const fullAuthority: KeyAuthority = { scope: 'pay', networks: [], expiresAt: null, dailyLimit: null };
