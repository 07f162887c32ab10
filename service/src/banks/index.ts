// The banks behind the rails. It owns the port (what any bank must offer, and what its answers mean) and the adapters; it
// knows nothing of payouts, and never says that a payment did not happen when it can't know.
export { bankReference } from './bank-reference.ts';
export { createBridgeBank } from './bridge/bank.ts';
export { readWebhook, type PaymentNews } from './bridge/webhook.ts';
export { bankCalls, withFailpoints } from './failpoints.ts';
export { createHttpAgent } from './http-exchange.ts';
export type {
  Bank,
  BankAccountDetails,
  BankCustomers,
  BankFunding,
  BankRecords,
  BankVerification,
  DepositLine,
  DepositSender,
  DepositEvent,
  FindOutcome,
  FundingMethod,
  FundingSource,
  Payment,
  PaymentFailure,
  PaymentOrder,
  PaymentPage,
  PaymentRecord,
  Recipient,
  SendOutcome,
  Verification,
} from './port.ts';
export { createSimulatedBank } from './simulated/bank.ts';
export { walletChain } from './wallet-chain.ts';
