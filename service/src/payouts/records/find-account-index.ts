import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';

const findAccountIndexCall: Call = {
  name: 'find_account_index',
  text: 'select kelpie.find_account_index($1, $2, $3) as account_index',
};

/** Which of one account's digests the partner's rows have: the first where there are none. */
export async function findAccountIndex(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  digests: readonly Buffer[],
): Promise<Buffer> {
  const [row] = await calls.call<{ account_index: Buffer }>(findAccountIndexCall, [partnerId, environment, digests]);
  if (row === undefined) throw new Error('the database returned no row');
  return row.account_index;
}
