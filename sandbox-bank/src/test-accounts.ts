import type { Mode } from './configuration.ts';

/** No bank has it. Only in a sandbox do the accounts below it mean anything. */
export const testSortCode = '000000';

/** What the bank does with a payment to an account. `reason` is the bank's word for why. */
export type TestAccount =
  | { does: 'fail' | 'return' | 'return_late'; reason: string }
  /** Its payment is accepted, but nobody hears of it for a while. */
  | { does: 'hide' }
  /** Its payment stays where it is. */
  | { does: 'hold' }
  /** The account itself is refused. */
  | { does: 'reject' };

/** By account number. docs/partners/testing.md shows the same; a test keeps the two equal. */
export const testAccounts: ReadonlyMap<string, TestAccount> = new Map<string, TestAccount>([
  ['10000001', { does: 'fail', reason: 'account_not_found' }],
  ['10000002', { does: 'fail', reason: 'account_closed' }],
  ['10000003', { does: 'fail', reason: 'account_blocked' }],
  ['10000004', { does: 'fail', reason: 'name_mismatch' }],
  ['10000005', { does: 'fail', reason: 'regulatory' }],
  ['10000006', { does: 'fail', reason: 'rejected_by_bank_provider' }],
  ['10000007', { does: 'fail', reason: 'unspecified' }],
  ['20000001', { does: 'return', reason: 'recipient_declined' }],
  ['20000002', { does: 'return_late', reason: 'recalled' }],
  ['30000001', { does: 'hide' }],
  ['30000002', { does: 'hold' }],
  ['40000001', { does: 'reject' }],
]);

/** How long a payment is hidden, and how long after its arrival one comes back late. */
export const hiddenForMs = 10_000;
export const returnedAfterMs = 5_000;

export function findTestAccount(
  { sort_code: sortCode, account_number: number }: { sort_code: string; account_number: string },
  mode: Mode,
): TestAccount | undefined {
  return mode === 'sandbox' && sortCode === testSortCode ? testAccounts.get(number) : undefined;
}
