import type { CreatePayoutRequest } from '../index.ts';

/** An order from the values of its fields, each by its own name. What is empty is left out. */
export function orderFrom(value: (name: string) => string): CreatePayoutRequest {
  const given = <Name extends string>(name: Name): { [Key in Name]?: string } => {
    const part: { [Key in Name]?: string } = {};
    return value(name) === '' ? part : Object.assign(part, { [name]: value(name) });
  };
  const type = value('type');
  return {
    amount_gbp: value('amount_gbp'),
    ...given('reference'),
    recipient: {
      ...(type === 'business' || type === 'individual' ? { type } : {}),
      first_name: value('first_name'),
      last_name: value('last_name'),
      ...given('email'),
      address: {
        line1: value('line1'),
        ...given('line2'),
        city: value('city'),
        ...given('region'),
        postal_code: value('postal_code'),
      },
      bank: {
        bank_name: value('bank_name'),
        sort_code: value('sort_code'),
        account_number: value('account_number'),
      },
    },
  };
}
