import type { ArchivedLine } from '../../archive/index.ts';
import {
  digestMinutes,
  digestOfMinutes,
  digestRows,
  inMinutes,
  type IdSpan,
  type MinuteDigest,
  type RowsDigest,
} from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/**
 * What was ordered, which never changes. A payout that was rebuilt from the bank gets some of it later. The recipient's name
 * and details are left out, and so is the person who created it in the dashboard: they may have to be erased. The digest of
 * the account is left out because a change of the index key writes it anew.
 */
const ordersSql = (from: string): string => `
  select id, 1 as line,
    row(
      id, partner_id, environment, rail, order_id, bank_round, extract(epoch from first_tried_at) * 1000000, amount_pence,
      fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths, price_plan, created_via,
      case when created_via = 'api' then created_by end,
      extract(epoch from recovered_at) * 1000000,
      case when recovered_at is null
        then row(idempotency_key, reference, bank_reference)::text end
    )::text as row
  from ${from}`;

export async function digestOrders(tx: Transaction, span: IdSpan): Promise<RowsDigest> {
  return digestRows(tx, ordersSql('kelpie.payouts where id >= $1 and id < $2'), span);
}

const archivedSql = ordersSql(
  `unnest($1::text[]) as archived cross join lateral jsonb_populate_record(null::kelpie.payouts, archived::jsonb -> 'payout') p`,
);

/** The same of lines of the archive, in the order of their ids, some minutes of them at a time. */
export async function digestArchivedOrders(tx: Transaction, lines: readonly ArchivedLine[]): Promise<RowsDigest> {
  const minutes: MinuteDigest[] = [];
  for (const some of inMinutes(lines))
    minutes.push(...(await digestMinutes(tx, archivedSql, [some.map(({ text }) => text)])));
  return digestOfMinutes(minutes);
}
