import type { Transaction } from '../database.ts';
import { notFound } from '../http/refusal.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';

/** For routes that work on what a customer has. */
export async function requireCustomer(tx: Transaction, id: string): Promise<void> {
  const { rows } = await tx.query('select from customers where id = $1', [id]);
  if (rows.length === 0) throw notFound('customer');
}

const email = { pattern: /^[^\s@]{1,64}@[^\s@]{1,250}$/, rule: 'an e-mail address' };

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/customers',
    async perform({ tx, at, body }) {
      const type = body.choice('type', ['individual', 'business']);
      const customer = {
        id: newId(at),
        type,
        full_name: type === 'individual' ? body.text('full_name') : body.optionalText('full_name'),
        business_name: type === 'business' ? body.text('business_name') : body.optionalText('business_name'),
        email: body.text('email', email),
      };
      await tx.query(
        `insert into customers (id, type, full_name, business_name, email, created_at) values ($1, $2, $3, $4, $5, $6)`,
        [customer.id, type, customer.full_name, customer.business_name, customer.email, at],
      );
      return { status: 201, body: { ...customer, status: 'active', created_at: at.toISOString() } };
    },
  },
];
