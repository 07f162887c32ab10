// The banks behind the rails. It owns the port (what any bank must offer, and what its answers mean) and the adapters; it
// knows nothing of payouts, and never says that a payment did not happen when it can't know.
export { bankReference } from './bank-reference.ts';
export { createBankMetrics } from './bank-metrics.ts';
export { createBridgeBank } from './bridge/bank.ts';
export { probeBridge } from './bridge/probe.ts';
export { readWebhook, type PaymentNews } from './bridge/webhook.ts';
export { bankCalls, withFailpoints } from './failpoints.ts';
export { encryptRecipientId, openRecipientId } from './encrypted-recipient-id.ts';
export { createHttpAgent } from './http-exchange.ts';
export type {
  Bank,
  FindOutcome,
  Payment,
  PaymentFailure,
  PaymentOrder,
  Readiness,
  Recipient,
  SendOutcome,
} from './port/payments.ts';
export type {
  BankAccountDetails,
  BankFunding,
  DepositLine,
  DepositSender,
  DepositEvent,
  FundingMethod,
  FundingSource,
} from './port/funding.ts';
export type { BankCustomers, BankVerification, Verification } from './port/customers.ts';
export type { BankRecords, PaymentPage, PaymentRecord, Recall, RecallPage, RecipientRecord } from './port/records.ts';
export { answerAsAsked, answersKeptMs } from './asked-answers/answer-as-asked.ts';
export { bankAnswers, setBankAnswers } from './asked-answers/store.ts';
export { createSandboxControls } from './bridge/sandbox-controls.ts';
export type { ControlOutcome, SandboxControls, TestDeposit } from './port/sandbox-controls.ts';
export { controlUnavailable, requireControls } from './require-controls.ts';
export { createSimulatedBank } from './simulated/bank.ts';
export type { BankWallet, BankWalletTransfers } from './port/wallet-transfers.ts';
export { walletChain } from './wallet-chain.ts';
export { idOfWalletTransfer, walletTransferReference } from './wallet-transfer-reference.ts';
