import type { Clock } from '../../platform/clock.ts';
import { isMailAddress } from '../../platform/configuration/mail-address.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction, type PartnerContext, type Transaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import { readInPages } from '../../platform/read-in-pages.ts';
import { payoutProblemsMail } from '../mails/payout-problems.ts';
import {
  deleteOldProblems,
  isQuietSince,
  listProblemsToEmail,
  listWaitingProblems,
  lockProblems,
  markNotified,
  reportStuckPayouts,
} from './store.ts';

export interface ProblemDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  outbox: Outbox;
  /** The members whose setting asks for these emails. */
  listProblemReaders: (tx: Transaction, environment: PartnerContext['environment']) => Promise<string[]>;
  dashboardUrl: string | null;
}

const minuteMs = 60_000;
/** A Faster Payment that takes longer than this is not on its usual way. */
const stuckAfterMs = 4 * 60 * minuteMs;
/** A person gets at most one such email per account and environment in this time, however many payouts fail. */
const quietMs = 15 * minuteMs;
const keptForMs = 30 * 24 * 60 * minuteMs;
const partnersAtOnce = 100;
const stuckAtOnce = 500;
/** More would make an email that nobody reads; the rest is counted. */
const mostListed = 20;

/** Reports payouts that are stuck, and emails what waits. Runs every minute, so that no payout waits for it. Returns how many old ones it deleted. */
export async function emailPayoutProblems(deps: ProblemDeps, signal: AbortSignal): Promise<number> {
  const { calls, clock } = deps;
  const at = clock.now();
  const before = (ms: number): Date => new Date(at.getTime() - ms);
  await reportStuckPayouts(calls, { createdBefore: before(stuckAfterMs), at, atMost: stuckAtOnce });
  const deleted = await deleteOldProblems(calls, before(keptForMs));
  const due = readInPages(
    async (afterPartner) =>
      listProblemsToEmail(calls, { quietSince: before(quietMs), afterPartner, atMost: partnersAtOnce }),
    ({ partnerId }) => partnerId,
  );
  for await (const partnerEnvironment of due) {
    // Another worker has the job by now.
    if (signal.aborted) return deleted;
    await emailPartner(deps, partnerEnvironment, before(quietMs));
  }
  return deleted;
}

/** One commit: that people were notified, and their emails. */
async function emailPartner(deps: ProblemDeps, partnerEnvironment: PartnerContext, quietSince: Date): Promise<void> {
  const { pool, clock, logger, outbox, listProblemReaders, dashboardUrl } = deps;
  const { partnerId, environment } = partnerEnvironment;
  const emails = await inTransaction(pool, partnerEnvironment, async (tx) => {
    const business = await lockProblems(tx, partnerEnvironment);
    if (!(await isQuietSince(tx, partnerEnvironment, quietSince))) return 0;
    const problems = await listWaitingProblems(tx, partnerEnvironment);
    await markNotified(tx, partnerEnvironment, clock.now());
    if (problems.length === 0) return 0;
    const message = payoutProblemsMail({
      business,
      environment,
      problems: problems.slice(0, mostListed),
      total: problems.length,
      dashboardUrl,
    });
    const readers = (await listProblemReaders(tx, environment)).filter(isMailAddress);
    for (const to of readers) await outbox.post(tx, { kind: 'payout-problems', to, message });
    return readers.length;
  });
  if (emails > 0) logger.info({ partner_id: partnerId, environment, mails: emails }, 'payout_problems.emailed');
}
