import { randomBytes } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import * as fc from 'fast-check';
import { ledgerEvents, postTransfers, type Transfer } from '../../src/ledger/index.ts';
import type { Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { idFor } from '../../src/platform/ids.ts';
import type { TestDatabase } from '../harness/database.ts';

// Books of months that are over, of payouts whose rows say no more than what was posted for them.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Ending = 'arrived' | 'rejected' | 'returned';

interface Planned {
  at: Date;
  principal: bigint;
  ending: Ending;
  /** From the order to its end, and from there to a return. */
  takesMs: number;
  returnsAfterMs: number;
}

/** Where months end: in UTC, and in London an hour before it in summer. */
function bordersOf(months: readonly string[]): Date[] {
  return months.flatMap((month) => {
    const begins = new Date(`${month}-01T00:00:00Z`);
    return [begins, new Date(begins.getTime() - hourMs)];
  });
}

/** Payouts of some months, as often as not within seconds of a border. */
export function anyPayouts(months: readonly string[]): fc.Arbitrary<Planned[]> {
  const borders = bordersOf(months);
  const [min, max] = [borders[0], borders.at(-1)];
  if (min === undefined || max === undefined) throw new Error('months without borders');
  return fc.array(
    fc.record({
      at: fc.oneof(
        fc.date({ min, max, noInvalidDate: true }),
        fc
          .tuple(fc.constantFrom(...borders), fc.integer({ min: -8_000, max: 8_000 }))
          .map(([border, byMs]) => new Date(border.getTime() + byMs)),
      ),
      principal: fc.bigInt(1n, 10n ** 9n),
      ending: fc.constantFrom<Ending>('arrived', 'arrived', 'arrived', 'rejected', 'returned'),
      takesMs: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 2 * dayMs })),
      returnsAfterMs: fc.integer({ min: 1, max: 40 * dayMs }),
    }),
    { minLength: 12, maxLength: 40 },
  );
}

interface Posted {
  at: Date;
  reason: string;
  lines: Transfer['lines'];
}

interface Change {
  state: 'processing' | 'completed' | 'failed' | 'returned';
  posted: readonly Posted[];
}

/** What happens to it, change by change, as the service would post it. */
function changesOf({ at, principal, ending, takesMs, returnsAfterMs }: Planned, isLive: boolean): Change[] {
  const end = new Date(at.getTime() + takesMs);
  const back = new Date(end.getTime() + returnsAfterMs);
  const held = principal + 7n;
  const hold = { at, reason: 'payout.hold', lines: ledgerEvents.hold({ principal, providerFee: 7n }) };
  const taken = { at, reason: 'payout.bank_accepted', lines: ledgerEvents.taken({ byBank: principal }) };
  if (ending === 'rejected')
    return [
      { state: 'processing', posted: [hold] },
      {
        state: 'failed',
        posted: [{ at: end, reason: 'payout.rejected', lines: ledgerEvents.released({ held }) }],
      },
    ];
  const charges = isLive
    ? [...ledgerEvents.feeEarned({ invoiceShare: 99n }), ...ledgerEvents.networkFeeAccrued(1_234n)]
    : [];
  const changes: Change[] = [
    { state: 'processing', posted: [hold, taken] },
    {
      state: 'completed',
      posted: [
        {
          at: end,
          reason: 'payout.arrived',
          lines: [...ledgerEvents.arrived({ held, byBank: principal }), ...charges],
        },
      ],
    },
  ];
  if (ending === 'returned')
    changes.push({
      state: 'returned',
      posted: [
        {
          at: back,
          reason: 'payout.returned',
          lines: [
            ...ledgerEvents.returnedAfterArrival({ refund: principal, to: 'wallet' }),
            ...(isLive ? ledgerEvents.charged('bank_exceptions', 250n) : []),
          ],
        },
      ],
    });
  return changes;
}

interface Row {
  id: string;
  state: string;
  changes: { state: string; at: Date; transfers: string[] }[];
}

/** Posts them in about the order of their instants: neighbours may be the other way round, as where two processes post. */
export async function plantBooks(
  { database, pool }: { database: TestDatabase; pool: Pool },
  of: PartnerContext,
  planned: readonly Planned[],
): Promise<void> {
  const first = planned.reduce((least, { at }) => Math.min(least, at.getTime()), Infinity);
  const depositId = idFor(new Date(first - dayMs), randomBytes(16));
  const deposit = {
    ...of,
    id: depositId,
    causeId: depositId,
    reason: 'deposit.credited',
    lines: ledgerEvents.deposit(10n ** 12n),
  };
  const timed: { order: number; transfer: Transfer }[] = [{ order: 0, transfer: deposit }];
  const rows: Row[] = [];
  for (const [nth, plan] of planned.entries()) {
    const payoutId = idFor(plan.at, randomBytes(16));
    const row: Row = { id: payoutId, state: '', changes: [] };
    for (const { state, posted } of changesOf(plan, of.environment === 'live')) {
      const ids = posted.map(({ at }) => idFor(at, randomBytes(16)));
      for (const [place, { at, reason, lines }] of posted.entries()) {
        // Never before what it follows from.
        const order = at.getTime() + (nth % 3 === 0 ? 400 : 0) + place / 10;
        timed.push({ order, transfer: { ...of, id: ids[place] ?? '', causeId: payoutId, reason, lines } });
      }
      row.changes.push({ state, at: posted[0]?.at ?? plan.at, transfers: ids });
      row.state = state;
    }
    rows.push(row);
  }
  const ordered = timed.toSorted((a, b) => a.order - b.order).map(({ transfer }) => transfer);
  const outcomes = await inTransaction(pool, of, async (tx) => postTransfers(tx, ordered));
  if (outcomes.some(({ kind }) => kind !== 'posted')) throw new Error('a transfer that its wallet does not cover');
  await plantPayouts(database, of, rows);
}

/** As a superuser with triggers off: a payout that begins at its end. What its columns say beside its state is made up. */
async function plantPayouts(database: TestDatabase, of: PartnerContext, rows: readonly Row[]): Promise<void> {
  const isLive = of.environment === 'live';
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into kelpie.payouts (
         id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
         reference, bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
         price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by, bank_payment_id,
         bank_state, bank_debited_micro_usdc, updated_at, completed_at, failure_reason
       )
       select (row ->> 'id')::uuid, $2, $3::kelpie.environment, $4::kelpie.rail, (row ->> 'state')::kelpie.payout_state,
         jsonb_array_length(row -> 'changes'), 1, row ->> 'id', (row ->> 'id')::uuid, 1, kelpie.instant_of((row ->> 'id')::uuid),
         'Order', 'Order', 1000, 99, 1, 1000, 790000, 'standard-1', 'Ada Byron', '5678', $5, sha256($5), 'api', 'kp_planted',
         row ->> 'id', 'simulated_arrived', 1000, (row #>> '{changes,-1,at}')::timestamptz, (row #>> '{changes,-1,at}')::timestamptz,
         case row ->> 'state' when 'failed' then 'planted' end
       from unnest($1::jsonb[]) as row`,
      [rows, of.partnerId, of.environment, isLive ? 'provider_production' : 'simulated', randomBytes(330)],
    );
    await client.query(
      `insert into kelpie.payout_history (
         payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, transfer_ids
       )
       select (row ->> 'id')::uuid, nth, $2, $3::kelpie.environment, (change ->> 'at')::timestamptz,
         (change ->> 'state')::kelpie.payout_state, 'planted', 'bank', 1, 'simulated',
         array(select jsonb_array_elements_text(change -> 'transfers')::uuid)
       from unnest($1::jsonb[]) as row
       cross join lateral jsonb_array_elements(row -> 'changes') with ordinality as changed (change, nth)`,
      [rows, of.partnerId, of.environment],
    );
  });
}
