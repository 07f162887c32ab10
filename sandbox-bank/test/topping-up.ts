import { textAt } from '@kelpie/dev/json.ts';
import { callWire, type Customer } from './customer.ts';
import type { SandboxBank } from './harness.ts';

/** Where a customer's wallet can be topped up, opened as the service would. */
export interface TopUpPlaces {
  accountId: string;
  addressId: string;
}

export async function openPlaces(
  bank: SandboxBank,
  { id, walletId }: Pick<Customer, 'id' | 'walletId'>,
): Promise<TopUpPlaces> {
  const account = await callWire(bank, `/customers/${id}/virtual_accounts`, {
    body: {
      source: { currency: 'gbp' },
      destination: { currency: 'usdc', payment_rail: 'base', bridge_wallet_id: walletId },
    },
  });
  const address = await callWire(bank, `/customers/${id}/liquidation_addresses`, {
    body: {
      chain: 'base',
      currency: 'usdc',
      destination_currency: 'usdc',
      destination_payment_rail: 'base',
      bridge_wallet_id: walletId,
    },
  });
  return { accountId: textAt(account.json, 'id'), addressId: textAt(address.json, 'id') };
}

/** Somebody sends pounds; the deposit's id. */
export async function sendPounds(bank: SandboxBank, accountId: string, amount = '100.00'): Promise<string> {
  const sent = await bank.control('/deposits', { virtual_account_id: accountId, amount_gbp: amount });
  return textAt(sent, 'id');
}

/** Somebody sends tokens; the deposit's id. */
export async function sendUsdc(bank: SandboxBank, addressId: string, amount = '100.00'): Promise<string> {
  const sent = await bank.control('/deposits', { liquidation_address_id: addressId, amount_usdc: amount });
  return textAt(sent, 'id');
}
