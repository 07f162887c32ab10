import { expect, type Page } from '@playwright/test';
import { textAt } from '@kelpie/dev/json.ts';
import type { Environment } from './bank.ts';

export interface Paid {
  amount: string;
  firstName: string;
  lastName: string;
  accountNumber: string;
  reference: string;
  sortCode?: string;
}

/** A test account whose payouts stay on their way. */
export const heldAccount = { sortCode: '000000', accountNumber: '30000002' };

export const grace: Paid = {
  amount: '25.00',
  firstName: 'Grace',
  lastName: 'Hopper',
  accountNumber: '12345678',
  reference: 'Order 42',
};

/** Fills the form of a new payout in, up to the review. */
export async function fillPayout(page: Page, environment: Environment, paid: Paid): Promise<void> {
  await page.goto(`${environment}/payouts/new`);
  await page.getByLabel('Recipient receives').fill(paid.amount);
  await page.getByLabel('Reference').fill(paid.reference);
  await page.getByLabel('First name').fill(paid.firstName);
  await page.getByLabel('Last name').fill(paid.lastName);
  await page.getByLabel('Street address').fill('1 High Street');
  await page.getByLabel('Town or city').fill('Leeds');
  await page.getByLabel('Postcode').fill('LS1 1AA');
  await page.getByLabel('Bank name').fill('Example Bank');
  await page.getByLabel('Sort code').fill('040004');
  await page.getByLabel('Account number').fill(paid.accountNumber);
  // The quote is there before one reviews what it says.
  await expect(page.getByText('Wallet debit')).toBeVisible();
  await page.getByRole('button', { name: 'Review payout' }).click();
  await expect(page.getByRole('heading', { name: 'Review payout' })).toBeVisible();
}

export async function isAtPayout(page: Page): Promise<string> {
  await expect(page).toHaveURL(/\/payouts\/[0-9a-f-]{36}$/);
  return page.url().slice(-36);
}

export function payoutsOf(environment: Environment): string {
  return `**/v1/payouts?environment=${environment}`;
}

/** The idempotency keys under which the page has sent payouts, from now on. */
export function watchSent(page: Page): string[] {
  const keys: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === '/v1/payouts') {
      keys.push(request.headers()['idempotency-key'] ?? '');
    }
  });
  return keys;
}

/** How many payouts to Grace Hopper the API knows of. */
export async function countPaid(page: Page, environment: Environment): Promise<number> {
  const listed = await page.evaluate(
    async (of) => (await fetch(`/v1/payouts?environment=${of}&limit=100`)).text(),
    environment,
  );
  return listed.match(/"Grace Hopper"/g)?.length ?? 0;
}

/** The same as the form makes of it. */
export function orderOf({ amount, firstName, lastName, accountNumber, reference, sortCode = '040004' }: Paid) {
  return {
    amount_gbp: amount,
    reference,
    recipient: {
      first_name: firstName,
      last_name: lastName,
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: sortCode, account_number: accountNumber },
    },
  };
}

type Answer = 'as it is' | 'lost after it was done' | 'lost before it arrived' | { status: number; code: string };

/** What becomes of each attempt to send, one after the other; those that follow are answered as they are. */
export async function answerSending(page: Page, environment: Environment, answers: Answer[]): Promise<void> {
  await page.route(payoutsOf(environment), async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const answer = answers.shift() ?? 'as it is';
    if (answer === 'as it is') return route.fallback();
    if (typeof answer === 'object') {
      const { status, code } = answer;
      return route.fulfill({ status, json: { error: { code, message: `Said for the test: ${code}.` } } });
    }
    if (answer === 'lost after it was done') await route.fetch();
    return route.abort('connectionreset');
  });
}

/** Ordered in the sandbox by whoever is signed in, without the form. */
export async function orderPayout(page: Page, paid: Paid): Promise<string> {
  const session = await page.evaluate(async () => (await fetch('/v1/auth/session')).text());
  const account = textAt(JSON.parse(session), 'account.id');
  const answer = await page.evaluate(
    async ({ order, named }) => {
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        'kelpie-account': named,
      };
      const body = JSON.stringify(order);
      return (await fetch('/v1/payouts?environment=sandbox', { method: 'POST', headers, body })).text();
    },
    { order: orderOf(paid), named: account },
  );
  return textAt(JSON.parse(answer), 'id');
}
