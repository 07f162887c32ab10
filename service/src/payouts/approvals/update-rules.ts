import { recordSecurityEvent } from '../../activity/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { ActToConfirm, InConfirmedTransaction, NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { approvalRulesMail } from '../mails/approval-rules.ts';
import { mostLimit, readBusiness } from '../spending/store.ts';
import type { DecidingAdmin } from './approve-request.ts';
import {
  countAdmins,
  decideApprovalRules,
  findKeyPrefixes,
  readApprovalRules,
  setApprovalRules,
  type ApprovalRules,
} from './store.ts';

export interface RulesDeps {
  clock: Clock;
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

/** The five keys that can pay, and some that were revoked. The database holds the same. */
const mostKeys = 20;

function problemsOf({ above, keyIds }: ApprovalRules, known: ReadonlyMap<string, string>) {
  const problems: { path: string; rule: string }[] = [];
  if (above !== null && above > mostLimit)
    problems.push({ path: 'above_gbp', rule: `must be at most ${formatPounds(mostLimit)}` });
  if (keyIds.length > mostKeys) problems.push({ path: 'api_key_ids', rule: `must be at most ${mostKeys} keys` });
  if (keyIds.some((id) => !known.has(id)))
    problems.push({ path: 'api_key_ids', rule: 'must be ids of API keys of this environment' });
  return problems;
}

/** Looser in anything: what the database decides by, said here for the email with the code. */
function isLooser(now: ApprovalRules, to: ApprovalRules): boolean {
  return (
    (now.above !== null && (to.above === null || to.above > now.above)) ||
    (now.newPayee && !to.newPayee) ||
    now.keyIds.some((id) => !to.keyIds.includes(id))
  );
}

type Prefixes = ReadonlyMap<string, string>;

/** The rules as people read them. */
function describeRules({ above, newPayee, keyIds }: ApprovalRules, prefixes: Prefixes): (readonly [string, string])[] {
  return [
    ['Payouts above', above === null ? 'no rule' : `${formatPounds(above)} GBP`],
    ['Payouts to a new payee', newPayee ? 'need approval' : 'no rule'],
    ['Payouts by API key', keyIds.length === 0 ? 'no rule' : keyIds.map((id) => prefixes.get(id) ?? id).join(', ')],
  ];
}

function describeChange(now: ApprovalRules, to: ApprovalRules, prefixes: Prefixes): (readonly [string, string])[] {
  const before = describeRules(now, prefixes);
  return describeRules(to, prefixes).flatMap(([label, value], at) =>
    value === before[at]?.[1] ? [] : [[label, `${value} (now: ${before[at]?.[1] ?? ''})`] as const],
  );
}

const tooFewAdmins = {
  code: 'second_admin_required',
  message: 'Approvals need two admins. Add another admin first. Nothing was changed.',
} as const;

interface Plan {
  business: string;
  to: ApprovalRules;
  facts: (readonly [string, string])[];
  toConfirm: ActToConfirm | null;
}

async function planUpdate(
  tx: Transaction,
  of: PartnerContext,
  changes: Partial<ApprovalRules>,
  at: Date,
): Promise<Plan> {
  const now = await readApprovalRules(tx, at);
  const to = { above: now.above, newPayee: now.newPayee, keyIds: now.keyIds, ...changes };
  to.keyIds = [...new Set(to.keyIds)].toSorted((one, other) => one.localeCompare(other));
  const prefixes = await findKeyPrefixes(tx, [...now.keyIds, ...to.keyIds]);
  const problems = problemsOf(to, prefixes);
  if (problems.length > 0) {
    const message = 'These rules are invalid. See details.fields.';
    throw new ApiError({ code: 'invalid_request', message, details: { fields: problems } });
  }
  const business = await readBusiness(tx, of);
  const facts = describeChange(now, to, prefixes);
  const looser = isLooser(now, to);
  if (!looser && facts.length > 0 && (await countAdmins(tx)) < 2) throw new ApiError(tooFewAdmins);
  const verb = looser ? 'ask another admin to loosen' : 'tighten';
  const toConfirm = {
    act: JSON.stringify([
      'approval_rules.update',
      of.environment,
      to.above?.toString() ?? null,
      to.newPayee,
      to.keyIds,
    ]),
    business,
    does: `${verb} the ${of.environment} approval rules of ${business}`,
    facts,
  };
  return { business, to, facts, toConfirm: facts.length === 0 ? null : toConfirm };
}

/** What tightens the rules holds at once. What loosens them waits until another admin approves it, for 72 hours. */
export async function updateRules(
  deps: RulesDeps,
  admin: DecidingAdmin,
  { changes, code }: { changes: Partial<ApprovalRules>; code: string | undefined },
): Promise<void> {
  const { partnerId, environment, by, sessionId } = admin;
  const of = { partnerId, environment };
  const at = deps.clock.now();
  const plan = async (tx: Transaction) => planUpdate(tx, of, changes, at);
  await deps.inConfirmedTransaction(admin, { code, plan }, of, async (tx, { business, to, facts }) => {
    if (facts.length === 0) return;
    const outcome = await setApprovalRules(tx, sessionId, to, at);
    if (outcome === 'too_few_admins') throw new ApiError(tooFewAdmins);
    if (outcome === 'not_admin') throw new ApiError(sessionEnded);
    const message = approvalRulesMail({
      what: outcome === 'set' ? 'tightened' : 'asked',
      business,
      environment,
      facts,
      by,
      at,
      dashboardUrl: deps.dashboardUrl,
    });
    await deps.notifyAdmins(tx, { kind: 'approval-rules', message });
    const action = outcome === 'set' ? 'approval_rules.update' : 'approval_rules.propose';
    await recordSecurityEvent(tx, admin, { environment, action, status: 200, detail: partnerId });
  });
}

/** Approves or declines looser rules that wait. Approving takes another admin than the one who asked, and a code. */
export async function decideRules(
  deps: RulesDeps,
  admin: DecidingAdmin,
  { approves, code }: { approves: boolean; code: string | undefined },
): Promise<void> {
  const { partnerId, environment, by, sessionId } = admin;
  const of = { partnerId, environment };
  const at = deps.clock.now();
  const nothingWaits = new ApiError({ code: 'not_found', message: 'No change of the approval rules waits.' });
  const own = new ApiError({
    code: 'second_admin_required',
    message: 'You asked for this change. Another admin has to approve it.',
  });
  const plan = async (tx: Transaction) => {
    const now = await readApprovalRules(tx, at);
    const { pending } = now;
    if (pending === null) throw nothingWaits;
    if (approves && pending.by === by) throw own;
    const business = await readBusiness(tx, of);
    const prefixes = await findKeyPrefixes(tx, [...now.keyIds, ...pending.keyIds]);
    const facts = describeChange(now, pending, prefixes);
    const { above, newPayee, keyIds } = pending;
    const toConfirm = {
      act: JSON.stringify([
        'approval_rules.approve',
        environment,
        above?.toString() ?? null,
        newPayee,
        keyIds,
        pending.by,
        pending.at.toISOString(),
      ]),
      business,
      does: `loosen the ${environment} approval rules of ${business}, as ${pending.by} asked`,
      facts,
    };
    return { business, facts, toConfirm: approves ? toConfirm : null };
  };
  await deps.inConfirmedTransaction(admin, { code, plan }, of, async (tx, { business, facts }) => {
    const outcome = await decideApprovalRules(tx, { sessionId, approves }, at);
    if (outcome === 'none') throw nothingWaits;
    if (outcome === 'own') throw own;
    if (outcome === 'not_admin') throw new ApiError(sessionEnded);
    const what = approves ? 'loosened' : 'declined';
    const message = approvalRulesMail({ what, business, environment, facts, by, at, dashboardUrl: deps.dashboardUrl });
    await deps.notifyAdmins(tx, { kind: 'approval-rules', message });
    const action = approves ? 'approval_rules.approve' : 'approval_rules.decline';
    await recordSecurityEvent(tx, admin, { environment, action, status: 200, detail: partnerId });
  });
}
