import type { PartnerContext } from '../platform/database/transaction.ts';

/** An address of a partner's to which events are sent, without its secret. */
export interface Endpoint extends PartnerContext {
  id: string;
  url: string;
  description: string | null;
  /** Null for all. */
  types: readonly string[] | null;
  createdAt: Date;
  /** Null while events are sent to it. */
  disabled: { at: Date; reason: DisabledReason } | null;
  /** Since when every attempt has failed; null where the last one did not. */
  failingSince: Date | null;
  /** Until when the secret before the last roll signs too. */
  previousSecretUntil: Date | null;
}

export const disabledReasons = ['requested', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** An environment has no more. The database has as many places. */
export const mostEndpoints = 10;

/** In live, what is sent holds names of real people: it is encrypted on its way. */
export function mayBePlain({ environment }: Pick<PartnerContext, 'environment'>): boolean {
  return environment === 'sandbox';
}
