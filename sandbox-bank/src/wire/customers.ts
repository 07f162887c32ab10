import { describeCustomer, getCustomer, insertCustomer } from '../customers.ts';
import type { Route } from '../http/route.ts';

export const email = { pattern: /^[^\s@]{1,64}@[^\s@]{1,250}$/, rule: 'an email address' };

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/customers',
    async perform({ tx, at, body }) {
      const type = body.choice('type', ['individual', 'business']);
      const customer = {
        type,
        full_name: type === 'individual' ? body.text('full_name') : body.optionalText('full_name'),
        business_name: type === 'business' ? body.text('business_name') : body.optionalText('business_name'),
        email: body.text('email', email),
        // Who is made a customer without a KYC link can pay at once: a sandbox asks for no papers.
        faster_payments: 'approved',
      } as const;
      return { status: 201, body: describeCustomer(await insertCustomer(tx, customer, at)) };
    },
  },
  {
    method: 'GET',
    url: '/customers/:customer_id',
    async perform({ tx, id }) {
      return { status: 200, body: describeCustomer(await getCustomer(tx, id('customer_id'))) };
    },
  },
];
