import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SandboxBank } from './harness.ts';
import { textAt } from '@kelpie/dev/json.ts';

interface WireAnswer {
  status: number;
  text: string;
  /** Undefined where the text is no JSON. */
  json: unknown;
  replayed: boolean;
}

interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: object;
  key?: string;
  apiKey?: string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls the bank as the service would. Without a method: POST where there is a body. */
export async function callWire(bank: SandboxBank, path: string, call: Call = {}): Promise<WireAnswer> {
  const { method = call.body === undefined ? 'GET' : 'POST', body, key, apiKey = bank.apiKey } = call;
  const response = await fetch(bank.wireUrl + path, {
    method,
    headers: {
      'api-key': apiKey,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, text, json: parse(text), replayed };
}

/** Someone who can pay: a customer with a full wallet and one recipient. */
export interface Customer {
  id: string;
  walletId: string;
  accountId: string;
  /** The body of an order to pay. */
  order(change?: { amount?: string; reference?: string; clientReferenceId?: string; accountId?: string }): object;
  balance(): Promise<string>;
}

export const accountBody = (accountNumber: string) => ({
  account_type: 'gb',
  currency: 'gbp',
  account_owner_name: 'Ada Okafor',
  account_owner_type: 'individual',
  first_name: 'Ada',
  last_name: 'Okafor',
  account: { sort_code: '200000', account_number: accountNumber },
});

async function make(bank: SandboxBank, path: string, body: object): Promise<unknown> {
  const { status, json, text } = await callWire(bank, path, { body });
  assert.equal(status, 201, text);
  return json;
}

export async function createCustomer(bank: SandboxBank, accountNumber = '55779911'): Promise<Customer> {
  const customer = await make(bank, '/customers', { type: 'business', business_name: 'Tideway', email: 'a@tide.test' });
  const id = textAt(customer, 'id');
  const wallet = await make(bank, `/customers/${id}/wallets`, { chain: 'base' });
  const walletId = textAt(wallet, 'id');
  // One that stands in for the live bank opens them empty.
  if (textAt(wallet, 'balances.0.balance') === '0.00') {
    await bank.control(`/wallets/${walletId}/adjust`, { micro_usdc: 10_000_000_000 });
  }
  const accountId = textAt(await make(bank, `/customers/${id}/external_accounts`, accountBody(accountNumber)), 'id');
  return {
    id,
    walletId,
    accountId,
    order: (change = {}) => ({
      on_behalf_of: id,
      client_reference_id: change.clientReferenceId ?? randomUUID(),
      source: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: walletId },
      destination: {
        currency: 'gbp',
        payment_rail: 'faster_payments',
        external_account_id: change.accountId ?? accountId,
        amount: change.amount ?? '850.00',
        reference: change.reference ?? 'Invoice 12',
      },
    }),
    async balance() {
      const { json } = await callWire(bank, `/customers/${id}/wallets/${walletId}`);
      return textAt(json, 'balances.0.balance');
    },
  };
}

/** An accepted transfer's id. */
export async function pay(bank: SandboxBank, customer: Customer, amount = '850.00'): Promise<string> {
  return textAt(await make(bank, '/transfers', customer.order({ amount })), 'id');
}

export async function stateOf(bank: SandboxBank, transferId: string): Promise<string> {
  return textAt((await callWire(bank, `/transfers/${transferId}`)).json, 'state');
}
