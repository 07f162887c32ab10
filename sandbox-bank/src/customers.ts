import type { Transaction } from './database.ts';
import { notFound, ApiError } from './http/api-error.ts';
import { newId } from './ids.ts';

/** Whether a customer may pay out in pounds. Null where nobody asked for that. */
type Endorsement = 'incomplete' | 'approved' | 'revoked' | null;

interface CustomerRow {
  id: string;
  type: 'individual' | 'business';
  full_name: string | null;
  business_name: string | null;
  email: string;
  faster_payments: Endorsement;
  created_at: Date;
}

export function describeCustomer({ faster_payments: status, created_at: createdAt, ...customer }: CustomerRow): object {
  return {
    ...customer,
    status: 'active',
    endorsements: status === null ? [] : [{ name: 'faster_payments', status }],
    created_at: createdAt.toISOString(),
  };
}

export async function insertCustomer(
  tx: Transaction,
  customer: Omit<CustomerRow, 'id' | 'created_at'>,
  at: Date,
): Promise<CustomerRow> {
  const row = { ...customer, id: newId(at), created_at: at };
  await tx.query(
    `insert into customers (id, type, full_name, business_name, email, faster_payments, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.type, row.full_name, row.business_name, row.email, row.faster_payments, at],
  );
  return row;
}

export async function getCustomer(tx: Transaction, id: string): Promise<CustomerRow> {
  const { rows } = await tx.query<CustomerRow>('select * from customers where id = $1', [id]);
  const [customer] = rows;
  if (customer === undefined) throw notFound('customer');
  return customer;
}

/** For routes that pay: a customer may do so only with the endorsement for it. */
export async function requireEndorsedCustomer(tx: Transaction, id: string): Promise<void> {
  const { faster_payments: endorsement } = await getCustomer(tx, id);
  if (endorsement === 'approved') return;
  throw new ApiError({
    code: 'endorsement_required',
    message: 'This customer does not have the endorsement faster_payments.',
  });
}

export async function setEndorsement(tx: Transaction, id: string, endorsement: Endorsement): Promise<void> {
  await tx.query('update customers set faster_payments = $2 where id = $1', [id, endorsement]);
}
