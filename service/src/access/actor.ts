import type { PartnerContext } from '../platform/database/transaction.ts';
import type { Origin } from '../platform/origin.ts';

/** A person who changes something, and by which request. */
export interface Actor extends PartnerContext {
  by: string;
  requestId: string;
}

/** One who is signed in, by this session. */
export interface PersonActor extends Actor {
  sessionId: string;
  origin: Origin;
}

/** One who was an admin when the request came. */
export type AdminActor = PersonActor;
