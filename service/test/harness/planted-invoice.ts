import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from './database.ts';

/** An invoice of the month before this one, of nothing but the monthly account; numbered as the next. Says its id. */
export async function plantInvoice(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  partnerId: string,
): Promise<string> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `with month as (
         select date_trunc('month', now() at time zone 'Europe/London') as ends
       ), counted as (
         update kelpie.invoice_counter set last_number = last_number + 1 returning last_number
       ), invoice as (
         insert into kelpie.invoices (
           id, partner_id, number, period, begins_at, ends_at, status, total_pence, carried_in_pence, carried_out_pence,
           issued_at, due_at, billed_to_name, billed_to_email
         )
         select gen_random_uuid(), $1, last_number, to_char(ends - interval '1 month', 'YYYY-MM'),
           (ends - interval '1 month') at time zone 'Europe/London', ends at time zone 'Europe/London', 'issued', 1500, 0, 0,
           now(), now() + interval '14 days', p.name, p.billing_email
         from counted, month, kelpie.partners p where p.id = $1 returning id, partner_id
       )
       insert into kelpie.invoice_lines (
         invoice_id, partner_id, kind, place, description, quantity, unit_price_pence, amount_pence, items
       )
       select id, partner_id, 'monthly_account', 1, 'Monthly account', 1, 1500, 1500, 1 from invoice
       returning invoice_id as id`,
      [partnerId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('no invoice was planted');
    return row.id;
  });
}
