import type { PartnerContext } from '../platform/database/transaction.ts';
import type { Origin } from '../platform/origin.ts';

/** A person who changes something, and by which request. */
export interface Actor extends PartnerContext {
  by: string;
  requestId: string;
}

/** One who was an admin when the request came, by this session. */
export interface AdminActor extends Actor {
  sessionId: string;
  origin: Origin;
}
