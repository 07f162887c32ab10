import type { PartnerContext } from '../platform/database/transaction.ts';

/** The one list of them in the service; kelpie.event_type is the one in the database, and a test keeps them equal. */
export const eventTypes = [
  'payout.pending',
  'payout.processing',
  'payout.completed',
  'payout.failed',
  'payout.cancelled',
  'payout.returned',
] as const;
export type EventType = (typeof eventTypes)[number];

/** What a change was about: which resource, and which number of its history. */
interface SubjectVersion {
  id: string;
  version: number;
}

/** An event as it was numbered. */
export interface NumberedEvent {
  id: string;
  /** Counts the events of a partner and environment, from 1. */
  sequence: bigint;
  type: EventType;
  subject: SubjectVersion;
  /** When the change was made. */
  at: Date;
}

/** Payouts as they were. */
export interface PayoutVersions {
  /** Each as it was at that version, in the order that was asked for. */
  showVersions(of: PartnerContext, versions: readonly SubjectVersion[]): Promise<object[]>;
}
