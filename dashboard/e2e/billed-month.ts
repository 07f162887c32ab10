import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { operate } from './operator.ts';
import { makeMonths, plantPayouts } from './planted-payouts.ts';
import { stack } from './stack.ts';

/** The month before this one in London, as 2026-10, and some moment late in it. */
function monthBefore(): { period: string; late: Date } {
  const [year = 0, month = 1] = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    timeZone: 'Europe/London',
  })
    .format(new Date())
    .split('-')
    .map(Number);
  const late = new Date(Date.UTC(year, month - 2, 27, 12));
  return { period: late.toISOString().slice(0, 7), late };
}

/**
 * A month of live payouts that is over, which no test can wait for: the payouts and what was charged for them are planted;
 * the invoice is made of it by the operator's own command.
 */
export async function billMonthBefore(slug: string): Promise<void> {
  const { period, late } = monthBefore();
  await plantPayouts({ slug, count: 64, days: 24, until: late, environment: 'live' });
  await makeMonths('ledger_entries');
  await asAdmin(stack.databaseUrl, async (client) => {
    await client.query(
      `update kelpie.partner_environments set created_at = $2::timestamptz - interval '26 days'
       where environment = 'live' and partner_id = (select id from kelpie.partners where slug = $1)`,
      [slug, late],
    );
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    // As the arrival of each would have posted it: the invoice share in pence, the network's fee in millionths of a pound.
    await client.query(
      `with arrived as (
         select o.id, o.partner_id, o.fee_pence - o.provider_fee_pence as share from kelpie.payouts o
         join kelpie.partners p on p.id = o.partner_id
         where p.slug = $1 and o.environment = 'live' and o.state = 'completed' and o.created_by = 'kp_live_planted'
       ), entries as (
         select a.id, a.partner_id, line, account, amount, reason from arrived a cross join lateral (values
           (1, 'receivable', a.share, 'charge.payout_fees'), (2, 'revenue', -a.share, 'charge.payout_fees'),
           (3, 'accrued', 21300, 'charge.network_fees'), (4, 'accrued_revenue', -21300, 'charge.network_fees')
         ) as posted (line, account, amount, reason)
       )
       select from (
         select array_agg(e.id order by e.id, line) as ids, array_agg(line::smallint order by e.id, line) as lines,
           array_agg(partner_id order by e.id, line) as partners, array_agg('live'::kelpie.environment) as environments,
           array_agg(account::kelpie.ledger_account order by e.id, line) as accounts,
           array_agg(amount::bigint order by e.id, line) as amounts, array_agg(reason order by e.id, line) as reasons
         from entries e
       ) all_of, kelpie.post_transfers(ids, lines, partners, environments, accounts, amounts, reasons, ids)`,
      [slug],
    );
  });
  await operate('invoices', 'run', '--period', period);
}
