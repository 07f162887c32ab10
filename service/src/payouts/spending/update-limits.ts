import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { formatPounds, type Pence } from '../../money/amounts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ActToConfirm, InConfirmedTransaction, NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Origin } from '../../platform/origin.ts';
import { limitsChangedMail, type ChangedLimit } from '../mails/limits-changed.ts';
import {
  lowestLimit,
  mostLimit,
  readBusiness,
  readSpendingLimits,
  setSpendingLimits,
  type LimitChanges,
  type SpendingLimits,
} from './store.ts';

export interface UpdateLimitsDeps {
  clock: Clock;
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

interface AdminOfLimits extends PartnerContext {
  by: string;
  sessionId: string;
  requestId: string;
  origin: Origin;
}

const fields = [
  ['daily', 'daily_limit_gbp', 'Daily limit'],
  ['newPayee', 'new_payee_limit_gbp', 'Daily limit for a new payee'],
] as const;

/** Everything that is wrong with the new limits, by field. */
function problemsOf(changes: LimitChanges, { highest }: SpendingLimits, environment: string) {
  const most = highest ?? mostLimit;
  return fields.flatMap(([name, path]) => {
    const { [name]: to } = changes;
    if (to === undefined) return [];
    if (to === null)
      return environment === 'live' ? [{ path, rule: 'must be an amount: live always has a limit' }] : [];
    if (to >= lowestLimit && to <= most) return [];
    return [{ path, rule: `must be from ${formatPounds(lowestLimit)} to ${formatPounds(most)}` }];
  });
}

function refuse(problems: ReturnType<typeof problemsOf>): ApiError {
  const message = 'These limits are out of range. See details.fields. Contact support to raise the highest limit.';
  return new ApiError({ code: 'invalid_request', message, details: { fields: problems } });
}

interface PlannedLimits {
  business: string;
  changed: ChangedLimit[];
  toConfirm: ActToConfirm | null;
}

function showLimit(limit: Pence | null): string {
  return limit === null ? 'none' : `${formatPounds(limit)} GBP`;
}

async function planUpdate(tx: Transaction, of: PartnerContext, changes: LimitChanges): Promise<PlannedLimits> {
  const now = await readSpendingLimits(tx, of);
  const problems = problemsOf(changes, now, of.environment);
  if (problems.length > 0) throw refuse(problems);
  const business = await readBusiness(tx, of);
  const changed = fields.flatMap(([name, , label]): ChangedLimit[] => {
    const { [name]: to } = changes;
    return to === undefined || to === now[name] ? [] : [{ label, from: showLimit(now[name]), to: showLimit(to) }];
  });
  if (changed.length === 0) return { business, changed, toConfirm: null };
  const toConfirm = {
    act: JSON.stringify(['limits.update', of.environment, ...changed.map(({ label, to }) => [label, to])]),
    business,
    does: `change the ${of.environment} limits of ${business}`,
    facts: changed.map(({ label, from, to }) => [label, `${to} (now: ${from})`] as const),
  };
  return { business, changed, toConfirm };
}

/** Sets what an admin decides of the daily limits: lower at will, higher as far as an operator allows. */
export async function updateLimits(
  { clock, inConfirmedTransaction, notifyAdmins, dashboardUrl }: UpdateLimitsDeps,
  admin: AdminOfLimits,
  { changes, code }: { changes: LimitChanges; code: string | undefined },
): Promise<void> {
  const { partnerId, environment, by, requestId: id } = admin;
  const of = { partnerId, environment };
  const plan = async (tx: Transaction) => planUpdate(tx, of, changes);
  await inConfirmedTransaction(admin, { code, plan }, of, async (tx, { business, changed }) => {
    if (changed.length > 0) {
      const message = limitsChangedMail({ business, environment, changed, by, at: clock.now(), dashboardUrl });
      await notifyAdmins(tx, { kind: 'limits-changed', message });
      // An operator lowered the highest limit just now.
      if (!(await setSpendingLimits(tx, changes)))
        throw refuse(problemsOf(changes, await readSpendingLimits(tx, of), environment));
    }
    const done = { environment, action: 'limits.update', status: 200, detail: partnerId };
    await recordActivity(tx, { id, partnerId, by, ...done });
    if (changed.length > 0) await recordSecurityEvent(tx, admin, done);
  });
}
