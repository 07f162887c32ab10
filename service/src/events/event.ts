import type { PartnerContext } from '../platform/database/transaction.ts';

/** What events can be about. */
export const eventKinds = [
  'payout',
  'payout_request',
  'deposit',
  'wallet',
  'invoice',
  'key',
  'member',
  'account',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** The one list of them in the service; kelpie.event_type is the one in the database, and a test keeps them equal. */
export const typesOf = {
  payout: [
    'payout.pending',
    'payout.processing',
    'payout.completed',
    'payout.failed',
    'payout.cancelled',
    'payout.returned',
  ],
  payout_request: ['payout_request.created', 'payout_request.approved', 'payout_request.declined'],
  deposit: ['deposit.credited', 'deposit.reversed'],
  wallet: ['wallet.low'],
  invoice: ['invoice.issued', 'invoice.paid', 'invoice.overdue'],
  key: ['key.created', 'key.revoked'],
  member: ['member.added', 'member.removed'],
  account: ['account.paused', 'account.resumed'],
} as const satisfies Record<EventKind, readonly string[]>;
export type EventType = (typeof typesOf)[EventKind][number];
export const eventTypes: readonly EventType[] = eventKinds.flatMap((kind): readonly EventType[] => typesOf[kind]);

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
  /** What it is about, as the API showed it then; null for a payout, whose history has that. */
  snapshot: object | null;
}

/** Whose it is. */
export interface PartnerEvent extends PartnerContext {
  event: NumberedEvent;
}

/** Payouts as they were. */
export interface PayoutVersions {
  /** Each as it was at that version, in the order that was asked for. */
  showVersions(versions: readonly (PartnerContext & SubjectVersion)[]): Promise<object[]>;
}
