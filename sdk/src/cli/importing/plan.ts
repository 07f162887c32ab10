// What a run is about to pay, before it pays.
import type { Kelpie } from '../../index.ts';
import { counted, pounds } from '../printing.ts';
import { formatPence, penceOf, type PayoutRow } from './read-rows.ts';
import type { ResultsFile } from './results-file.ts';

export interface Plan {
  rows: readonly PayoutRow[];
  /** Those that earlier runs have not done. */
  left: readonly PayoutRow[];
  totalPence: bigint;
  alike: number;
  balanceGbp: string;
}

const sumOf = (rows: readonly PayoutRow[]): bigint => rows.reduce((sum, { pence }) => sum + pence, 0n);

/** Rows that would pay the same amount to the same account as another: often right, sometimes a row that was pasted twice. */
function countAlike(rows: readonly PayoutRow[]): number {
  const kinds = new Set(
    rows.map(({ order }) => {
      const { sort_code: sortCode, account_number: account } = order.recipient.bank;
      return `${sortCode} ${account} ${order.amount_gbp}`;
    }),
  );
  return rows.length - kinds.size;
}

/** Created already, and unchanged in the file since. A changed row is sent: the API then says that its key was used. */
export function isDone({ known }: Pick<ResultsFile, 'known'>, { key, fingerprint }: PayoutRow): boolean {
  const result = known.get(key);
  return result !== undefined && result.payoutId !== '' && result.fingerprint === fingerprint;
}

export async function planFor(
  kelpie: Kelpie,
  rows: readonly PayoutRow[],
  results: Pick<ResultsFile, 'known'>,
): Promise<Plan> {
  const { approx_gbp: balanceGbp } = await kelpie.balance.get();
  const left = rows.filter((row) => !isDone(results, row));
  return { rows, left, totalPence: sumOf(rows), alike: countAlike(rows), balanceGbp };
}

export function describePlan({ rows, left, totalPence, alike, balanceGbp }: Plan): string {
  const leftPence = sumOf(left);
  const done = rows.length - left.length;
  return [
    `${counted(rows.length, 'row')}, ${pounds(formatPence(totalPence))} in all. Every row is valid.`,
    ...(done === 0
      ? []
      : [`${counted(done, 'row')} done by earlier runs; ${left.length.toLocaleString('en-GB')} left.`]),
    ...(alike === 0
      ? []
      : [`${counted(alike, 'row')} with the amount and account of another row: check that this is meant.`]),
    ...(leftPence > penceOf(balanceGbp)
      ? [`The wallet holds about ${pounds(balanceGbp)}, less than the ${pounds(formatPence(leftPence))} left to pay.`]
      : []),
  ].join('\n');
}

export function planAsJson({ rows, left, totalPence, alike, balanceGbp }: Plan): object {
  return {
    rows: rows.length,
    left: left.length,
    total_gbp: formatPence(totalPence),
    left_gbp: formatPence(sumOf(left)),
    same_account_and_amount: alike,
    balance_approx_gbp: balanceGbp,
  };
}
