// Double entry for every partner's money. It owns the accounts, the entries and the wallets' balances; it knows nothing of
// payouts, and refuses a transfer that does not sum to zero or would take a wallet below it.
export * as ledgerEvents from './events.ts';
export { postTransfers } from './post-transfers.ts';
export type { Line, Transfer } from './transfer.ts';
export { verifyLedger, type Verification } from './verify.ts';
export { insertWallet as openWallet, listEntries, type DifferenceRow, type EntryRow } from './store.ts';
export { getBalance, lockBalance } from './wallets.ts';
