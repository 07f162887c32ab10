import type { Clock } from '../../platform/clock.ts';
import type { InConfirmedTransaction, NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';

/** What it takes to change a partner's people. */
export interface MemberDeps {
  clock: Clock;
  outbox: Outbox;
  /** Where people sign in: mails lead there. */
  dashboardUrl: string;
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
  /** What a business may send before it is verified. */
  unverifiedInvitationsPerDay: number;
}
