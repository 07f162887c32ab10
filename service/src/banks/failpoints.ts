import type { Failpoint } from '../platform/failpoint.ts';
import { inSpan } from '../platform/spans.ts';
import type { Bank } from './port/payments.ts';
import type { BankCustomers, BankVerification } from './port/customers.ts';
import type { BankFunding } from './port/funding.ts';
import type { BankRecords } from './port/records.ts';
import type { BankWalletTransfers } from './port/wallet-transfers.ts';

type WholeBank = Bank & BankRecords & BankCustomers & BankVerification & BankFunding & BankWalletTransfers;

/** Everything that is asked of a bank, by the name of its failpoints. */
export const bankCalls = {
  registerRecipient: 'register_recipient',
  sendPayment: 'send_payment',
  findPayment: 'find_payment',
  cancelPayment: 'cancel_payment',
  findRate: 'find_rate',
  listPayments: 'list_payments',
  findRecord: 'find_record',
  findRecipient: 'find_recipient',
  listRecalls: 'list_recalls',
  readBalance: 'read_balance',
  openCustomer: 'open_customer',
  startVerification: 'start_verification',
  findVerification: 'find_verification',
  openWallet: 'open_wallet',
  openAccount: 'open_account',
  openAddress: 'open_address',
  listDeposits: 'list_deposits',
  transferBetweenWallets: 'transfer_between_wallets',
} as const satisfies Record<Exclude<keyof WholeBank, 'readiness'>, string>;

/** What a result is called in the span of its call. It says nothing else of the result. */
function outcomeOf(result: unknown): string {
  if (result === null) return 'nothing';
  return typeof result === 'object' && 'kind' in result && typeof result.kind === 'string' ? result.kind : 'answered';
}

/** The same bank, with a point before and after each request: where a crash leaves us not knowing. Each has a span, too. */
export function withFailpoints(bank: WholeBank, failpoint: Failpoint, environment: 'sandbox' | 'live'): WholeBank {
  const around = async <Result>(name: string, ask: () => Promise<Result>): Promise<Result> => {
    await failpoint(`bank.${name}.before`);
    const attributes = { 'kelpie.bank.operation': name, 'kelpie.environment': environment };
    const result = await inSpan({ name: `bank.${name}`, kind: 'client', attributes }, ask, (answer) => ({
      'kelpie.bank.outcome': outcomeOf(answer),
    }));
    await failpoint(`bank.${name}.after`);
    return result;
  };
  return {
    // Nothing is asked of the bank for it.
    readiness: () => bank.readiness?.() ?? 'ready',
    registerRecipient: async (order) => around(bankCalls.registerRecipient, async () => bank.registerRecipient(order)),
    sendPayment: async (order) => around(bankCalls.sendPayment, async () => bank.sendPayment(order)),
    findPayment: async (id) => around(bankCalls.findPayment, async () => bank.findPayment(id)),
    cancelPayment: async (id) => around(bankCalls.cancelPayment, async () => bank.cancelPayment(id)),
    findRate: async () => around(bankCalls.findRate, async () => bank.findRate()),
    listPayments: async (id, after, changedSince) =>
      around(bankCalls.listPayments, async () => bank.listPayments(id, after, changedSince)),
    findRecord: async (id) => around(bankCalls.findRecord, async () => bank.findRecord(id)),
    findRecipient: async (recipient) => around(bankCalls.findRecipient, async () => bank.findRecipient(recipient)),
    listRecalls: async (id, after) => around(bankCalls.listRecalls, async () => bank.listRecalls(id, after)),
    readBalance: async (wallet) => around(bankCalls.readBalance, async () => bank.readBalance(wallet)),
    openCustomer: async (order) => around(bankCalls.openCustomer, async () => bank.openCustomer(order)),
    startVerification: async (order) => around(bankCalls.startVerification, async () => bank.startVerification(order)),
    findVerification: async (id) => around(bankCalls.findVerification, async () => bank.findVerification(id)),
    openWallet: async (order) => around(bankCalls.openWallet, async () => bank.openWallet(order)),
    openAccount: async (order) => around(bankCalls.openAccount, async () => bank.openAccount(order)),
    openAddress: async (order) => around(bankCalls.openAddress, async () => bank.openAddress(order)),
    listDeposits: async (source, after) => around(bankCalls.listDeposits, async () => bank.listDeposits(source, after)),
    transferBetweenWallets: async (order) =>
      around(bankCalls.transferBetweenWallets, async () => bank.transferBetweenWallets(order)),
  };
}
