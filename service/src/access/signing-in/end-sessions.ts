import { recordSecurityEvent } from '../../activity/index.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { InConfirmedTransaction } from '../../platform/acts/confirmed-act.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import type { PersonActor } from '../actor.ts';
import { originFacts } from '../mails/shown-origin.ts';
import { lockPeople, type Role } from '../members/store.ts';
import {
  isOpenSession,
  lockSession,
  revokeOtherSessions,
  revokeOwnSessions,
  revokeSession,
  type LockedSession,
} from './store.ts';

export interface EndSessionDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  inConfirmedTransaction: InConfirmedTransaction;
}

interface Ending {
  id: string;
  code: string | undefined;
}

const noSuchSession = { code: 'not_found', message: 'No session has this id.' } as const;

async function getSession(tx: Transaction, id: string): Promise<LockedSession> {
  const session = await lockSession(tx, id);
  if (session === null) throw new ApiError(noSuchSession);
  return session;
}

async function revokeAndRecord(
  tx: Transaction,
  { clock }: Pick<EndSessionDeps, 'clock'>,
  person: PersonActor,
  id: string,
): Promise<void> {
  if (!(await revokeSession(tx, id, clock.now()))) return;
  await recordSecurityEvent(tx, person, { action: 'session.end', status: 200, environment: null, detail: id });
}

/**
 * Ends one session of the account: the person's own, or as an admin anybody's. That of another person takes a code: a thief
 * could else sign everybody out who might notice.
 */
export async function endSession(
  deps: EndSessionDeps,
  person: PersonActor & { role: Role },
  { id, code }: Ending,
): Promise<void> {
  const isOwn = await inTransaction(deps.pool, person, async (tx) => {
    // One that was ended itself a moment ago may still reach this.
    if (!(await isOpenSession(tx, person.sessionId))) throw new ApiError(sessionEnded);
    const { email } = await getSession(tx, id);
    if (email === person.by) await revokeAndRecord(tx, deps, person, id);
    // A viewer sees no other person's sessions.
    else if (person.role !== 'admin') throw new ApiError(noSuchSession);
    return email === person.by;
  });
  if (!isOwn) await endOthersSession(deps, person, { id, code });
}

async function endOthersSession(deps: EndSessionDeps, admin: PersonActor, { id, code }: Ending): Promise<void> {
  const plan = async (tx: Transaction) => {
    const { name: business } = await lockPeople(tx, admin.partnerId);
    const { email, is_ended: isEnded, created_at: at, network, browser } = await getSession(tx, id);
    const facts = [['Member', email], ['Signed in on', showInstant(at)], ...originFacts({ network, browser })] as const;
    const act = JSON.stringify(['session.end', id]);
    const toConfirm = { act, business, does: `end a session of ${email} at ${business}`, facts };
    return { toConfirm: isEnded ? null : toConfirm };
  };
  await deps.inConfirmedTransaction(admin, { code, plan }, admin, async (tx) => revokeAndRecord(tx, deps, admin, id));
}

/** Ends all other sessions of the person, in every account of theirs. Says how many. */
export async function endOwnSessions({ calls, clock }: EndSessionDeps, person: PersonActor): Promise<number> {
  const ended = await revokeOwnSessions(calls, person, clock.now());
  if (ended === null) throw new ApiError(sessionEnded);
  return ended;
}

/** Ends all other sessions of the account, whoever has them. Says how many. */
export async function endEveryonesSessions(
  deps: EndSessionDeps,
  admin: PersonActor,
  code: string | undefined,
): Promise<number> {
  const plan = async (tx: Transaction) => {
    const { name: business } = await lockPeople(tx, admin.partnerId);
    const act = JSON.stringify(['session.end_all', 'everyone']);
    const does = `end all other sessions of ${business}`;
    return { toConfirm: { act, business, does, facts: [['Sessions', 'Of all members, except yours']] as const } };
  };
  return deps.inConfirmedTransaction(admin, { code, plan }, admin, async (tx) => {
    const ended = await revokeOtherSessions(tx, admin.sessionId, deps.clock.now());
    const done = { action: 'session.end_all', status: 200, environment: null, detail: 'everyone' };
    await recordSecurityEvent(tx, admin, done);
    return ended;
  });
}
