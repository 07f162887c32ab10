import { expect } from '@playwright/test';
import { findText } from './database.ts';
import { stack } from './stack.ts';

export type Environment = 'sandbox' | 'live';

/** Has a bank do something, by its control. */
export async function controlBank(environment: Environment, what: string, body: object = {}): Promise<void> {
  const bank = environment === 'live' ? stack.liveBankUrl : stack.bankUrl;
  const answer = await fetch(`${bank}/control/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${what}: ${await answer.text()}`).toBe(true);
}

/** Has the bank do something with a payout that it has taken. */
export async function controlPayoutAtBank(
  environment: Environment,
  id: string,
  { act, ...body }: { act: 'hold' | 'fail' | 'return'; state?: string },
): Promise<void> {
  const transfer = await findText('select bank_payment_id as found from kelpie.payouts where id = $1', [id]);
  await controlBank(environment, `transfers/${transfer}/${act}`, body);
}
