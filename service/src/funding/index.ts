// How a partner's wallet is topped up: where to send money, what came, and when there is little left. It owns deposits and
// their states; it moves money only through the ledger, on the bank's own word, and never credits a deposit twice.
export { combineWords, type DepositNews } from './combine-words.ts';
export { readDeposits, hintDeposit } from './hint-deposit.ts';
export { openWaitingFunding } from './open-waiting-funding.ts';
export { readDueSources } from './read-due-sources.ts';
export { lookBackForDeposits } from './look-back.ts';
export type { FundingDeps } from './deps.ts';
export { watchWallets } from './watch-wallets.ts';
export {
  findOperatedDeposit,
  listOperatedDeposits,
  type DepositHistoryRow,
  type OperatedDeposit,
} from './operating/store.ts';
