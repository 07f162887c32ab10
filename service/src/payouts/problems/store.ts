import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { PayoutProblem } from '../mails/payout-problems.ts';

const reportStuckCall: Call = {
  name: 'report_stuck_payouts',
  text: 'select kelpie.report_stuck_payouts($1, $2, $3) as count',
  writes: true,
};
const listCall: Call = {
  name: 'list_problems_to_email',
  text: 'select * from kelpie.list_problems_to_email($1, $2, $3)',
};
const deleteCall: Call = {
  name: 'delete_old_payout_problems',
  text: 'select kelpie.delete_old_payout_problems($1) as count',
  writes: true,
};

async function countOf(calls: SingleCalls, call: Call, values: unknown[]): Promise<number> {
  const [row] = await calls.call<{ count: number }>(call, values);
  return row?.count ?? 0;
}

export async function reportStuckPayouts(
  calls: SingleCalls,
  { createdBefore, at, atMost }: { createdBefore: Date; at: Date; atMost: number },
): Promise<number> {
  return countOf(calls, reportStuckCall, [firstIdAt(createdBefore), at, atMost]);
}

export async function deleteOldProblems(calls: SingleCalls, notifiedBefore: Date): Promise<number> {
  return countOf(calls, deleteCall, [notifiedBefore]);
}

export async function listProblemsToEmail(
  calls: SingleCalls,
  { quietSince, afterPartner, atMost }: { quietSince: Date; afterPartner: string; atMost: number },
): Promise<PartnerContext[]> {
  const rows = await calls.call<{ partner_id: string; environment: PartnerContext['environment'] }>(listCall, [
    quietSince,
    afterPartner,
    atMost,
  ]);
  return rows.map((row) => ({ partnerId: row.partner_id, environment: row.environment }));
}

/** Whoever emails this partner's problems does so alone until the commit. Returns the partner's name. */
export async function lockProblems(tx: Transaction, { partnerId }: PartnerContext): Promise<string> {
  const { rows } = await tx.query<{ name: string }>(
    'select name from kelpie.partners where id = $1 for no key update',
    [partnerId],
  );
  if (rows[0] === undefined) throw new Error('a transaction of no partner');
  return rows[0].name;
}

export async function isQuietSince(tx: Transaction, { partnerId, environment }: PartnerContext, at: Date) {
  const { rows } = await tx.query(
    `select from kelpie.payout_problems where partner_id = $1 and environment = $2 and notified_at > $3 limit 1`,
    [partnerId, environment, at],
  );
  return rows.length === 0;
}

interface ProblemRow {
  payout_id: string;
  kind: PayoutProblem['kind'];
  amount_pence: string;
  recipient_name: string;
  reference: string | null;
  failure_reason: string | null;
  is_held: boolean;
}

/** Those that wait, oldest first. One that was stuck and has moved on since is no problem any more. */
export async function listWaitingProblems(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
): Promise<PayoutProblem[]> {
  const { rows } = await tx.query<ProblemRow>(
    `select b.payout_id, b.kind, p.amount_pence, p.recipient_name, p.reference, p.failure_reason,
       (p.state = 'failed' and p.bank_payment_id is not null and p.bank_refunded_micro_usdc is null)
         or exists (
           select from kelpie.cases c where c.payout_id = p.id and c.kind = 'return_differs' and c.closed_at is null
         ) as is_held
     from kelpie.payout_problems b join kelpie.payouts p on p.id = b.payout_id
     where b.partner_id = $1 and b.environment = $2 and b.notified_at is null
       and (b.kind <> 'stuck' or p.state in ('pending', 'processing'))
     order by b.at, b.payout_id`,
    [partnerId, environment],
  );
  return rows.map((row) => ({
    payoutId: row.payout_id,
    kind: row.kind,
    amount: BigInt(row.amount_pence),
    recipientName: row.recipient_name,
    reference: row.reference,
    reason: row.kind === 'stuck' ? null : row.failure_reason,
    isHeld: row.is_held,
  }));
}

export async function markNotified(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  at: Date,
): Promise<void> {
  await tx.query(
    `update kelpie.payout_problems set notified_at = $3
     where partner_id = $1 and environment = $2 and notified_at is null`,
    [partnerId, environment, at],
  );
}
