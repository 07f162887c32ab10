import type { InConfirmedTransaction, NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import type { NotifierDeps } from '../notifying/notify-admins.ts';
import type { RelyingParty } from './relying-party.ts';

export interface PasskeyDeps extends NotifierDeps {
  pool: Pool;
  party: RelyingParty;
  /** Names a person to an authenticator, which may show it to others who have it. */
  handleDigest: KeyedDigest;
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
}
