import type { Mode } from '../configuration.ts';
import { getCustomer } from '../customers.ts';
import type { Transaction } from '../database.ts';
import type { Fields } from '../http/fields.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { findTestAccount } from '../test-accounts.ts';
import { listBody, listPage } from './pages.ts';

export interface AccountRow {
  id: string;
  customer_id: string;
  account_owner_name: string;
  account_owner_type: 'individual' | 'business';
  first_name: string | null;
  last_name: string | null;
  business_name: string | null;
  bank_name: string | null;
  sort_code: string;
  account_number: string;
  active: boolean;
  deactivation_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

type Details = Omit<AccountRow, 'id' | 'customer_id' | 'active' | 'deactivation_reason' | 'created_at' | 'updated_at'>;

const rules = {
  sortCode: { pattern: /^(\d{6}|\d{2}-\d{2}-\d{2})$/, rule: '6 digits' },
  accountNumber: { pattern: /^\d{8}$/, rule: '8 digits' },
  streetLine: { pattern: /^.{4,35}$/, rule: 'a string of 4 to 35 characters' },
  country: { pattern: /^[A-Z]{3}$/, rule: 'a country by its three capital letters, for example GBR' },
};

export function describeAccount(account: AccountRow): object {
  return {
    id: account.id,
    customer_id: account.customer_id,
    account_type: 'gb',
    currency: 'gbp',
    account_owner_name: account.account_owner_name,
    account_owner_type: account.account_owner_type,
    first_name: account.first_name,
    last_name: account.last_name,
    business_name: account.business_name,
    bank_name: account.bank_name,
    active: account.active,
    deactivation_reason: account.deactivation_reason,
    account: { last_4: account.account_number.slice(-4), sort_code: account.sort_code },
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
  };
}

/** Checked, and not kept: nothing here depends on where a recipient lives. */
function checkAddress(body: Fields): void {
  if (!body.has('address')) return;
  const address = body.object('address');
  address.text('street_line_1', rules.streetLine);
  address.text('country', rules.country);
}

function readDetails(body: Fields): Details {
  body.choice('account_type', ['gb']);
  body.choice('currency', ['gbp']);
  const ownerType = body.choice('account_owner_type', ['individual', 'business']);
  const individual = ownerType === 'individual';
  checkAddress(body);
  const account = body.object('account');
  return {
    account_owner_name: body.text('account_owner_name'),
    account_owner_type: ownerType,
    first_name: individual ? body.text('first_name') : null,
    last_name: individual ? body.text('last_name') : null,
    business_name: individual ? null : body.text('business_name'),
    bank_name: body.optionalText('bank_name'),
    sort_code: account.text('sort_code', rules.sortCode).replaceAll('-', ''),
    account_number: account.text('account_number', rules.accountNumber),
  };
}

async function insertAccount(tx: Transaction, customerId: string, details: Details, at: Date): Promise<AccountRow> {
  const { rows } = await tx.query<AccountRow>(
    `insert into external_accounts (id, customer_id, account_owner_name, account_owner_type, first_name, last_name,
       business_name, bank_name, sort_code, account_number, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) on conflict do nothing returning *`,
    [
      newId(at),
      customerId,
      details.account_owner_name,
      details.account_owner_type,
      details.first_name,
      details.last_name,
      details.business_name,
      details.bank_name,
      details.sort_code,
      details.account_number,
      at,
    ],
  );
  const [account] = rows;
  if (account === undefined) throw await duplicate(tx, customerId, details);
  return account;
}

async function duplicate(tx: Transaction, customerId: string, details: Details): Promise<ApiError> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from external_accounts where customer_id = $1 and sort_code = $2 and account_number = $3
       and account_owner_type = $4 and account_owner_name = $5`,
    [customerId, details.sort_code, details.account_number, details.account_owner_type, details.account_owner_name],
  );
  const message = 'This customer already has an external account with these details.';
  return new ApiError({ code: 'duplicate_external_account', message, ...rows[0] });
}

export async function getAccount(tx: Transaction, id: string, customerId: string): Promise<AccountRow> {
  const { rows } = await tx.query<AccountRow>('select * from external_accounts where id = $1 and customer_id = $2', [
    id,
    customerId,
  ]);
  const [account] = rows;
  if (account === undefined) throw notFound('external account');
  return account;
}

/** As the provider refuses a number that its own check finds wrong. */
function checkDetails(details: Details, mode: Mode): Details {
  if (findTestAccount(details, mode)?.does !== 'reject') return details;
  throw new ApiError({
    code: 'invalid_parameters',
    message: 'This account number is not valid.',
    source: { location: 'body', key: 'account.account_number' },
  });
}

export const externalAccountRoutes = (mode: Mode): readonly Route[] => [
  {
    method: 'POST',
    url: '/customers/:customer_id/external_accounts',
    faultPoint: 'external_account.create',
    async perform({ tx, at, id, body }) {
      const customerId = id('customer_id');
      await getCustomer(tx, customerId);
      const account = await insertAccount(tx, customerId, checkDetails(readDetails(body), mode), at);
      return { status: 201, body: describeAccount(account) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/external_accounts',
    async perform({ tx, id, query }) {
      const owner = id('customer_id');
      await getCustomer(tx, owner);
      const list = { table: 'external_accounts', where: 'customer_id = $1', owner } as const;
      const accounts = await listPage<AccountRow>(tx, list, query);
      return { status: 200, body: listBody(accounts.map(describeAccount)) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id/external_accounts/:external_account_id',
    async perform({ tx, id }) {
      const account = await getAccount(tx, id('external_account_id'), id('customer_id'));
      return { status: 200, body: describeAccount(account) };
    },
  },
];
