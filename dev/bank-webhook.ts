import { listAt, textAt } from './json.ts';

interface BankWebhook {
  bankUrl: string;
  apiKey: string;
  /** Where the bank sends its webhooks. */
  address: string;
}

/** Registers a webhook endpoint at a sandbox bank, once, and returns the key that verifies its webhooks. */
export async function registerBankWebhook({ bankUrl, apiKey, address }: BankWebhook): Promise<string> {
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const known: unknown = await (await fetch(`${bankUrl}/v0/webhooks?limit=100`, { headers })).json();
  const existing = listAt(known, 'data').find((endpoint) => textAt(endpoint, 'url') === address);
  if (existing !== undefined) return textAt(existing, 'public_key').trim();
  const body = JSON.stringify({ url: address });
  const created: unknown = await (await fetch(`${bankUrl}/v0/webhooks`, { method: 'POST', headers, body })).json();
  return textAt(created, 'public_key').trim();
}
