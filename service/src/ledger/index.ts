// Double entry for every partner's money. It owns the accounts, the entries and the wallets' balances; it knows nothing of
// payouts, and refuses a transfer that does not sum to zero or would take a wallet below it.
export * as ledgerEvents from './events.ts';
export { postTransfers } from './post-transfers.ts';
export type { Line, Transfer } from './transfer.ts';
export { insertWallet as openWallet, listEntries, type EntryRow } from './store.ts';
export {
  createDayChain,
  dayAfter,
  noMac,
  openDayAt,
  spanFrom,
  spanOfDay,
  type ClosedDay,
  type Day,
  type MacOf,
} from './verification/closed-days.ts';
export {
  digestArchivedEntries,
  digestEntries,
  digestMinutes,
  digestOfMinutes,
  digestRows,
  inMinutes,
  splitSpan,
  type MinuteDigest,
  type RowsDigest,
} from './verification/digest-rows.ts';
export {
  findFirstDay,
  findReadUntil,
  insertClosedDay,
  insertVerification,
  listClosedDays,
} from './verification/day-store.ts';
export { everything, nearSpan, spanBetween, type IdSpan } from './verification/id-span.ts';
export { formatDayAnchor, judgeChain, parseDayAnchor, type DayAnchor } from './verification/judge-chain.ts';
export { readOneSnapshot, type DifferenceRow } from './verification/store.ts';
export { countEntries, verifyLedger, type Verification } from './verification/verify-ledger.ts';
export { getBalance, lockBalance } from './wallets.ts';
