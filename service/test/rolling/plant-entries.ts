import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { idSql } from '../../bench/numbered-ids.ts';
import type { TestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';

const stepSize = 250_000;
/** Most are in the month that payouts are written to: its index is the hardest to build beside them. */
const shareOfThisMonth = 0.8;

interface Month {
  from: Date;
  until: Date;
  rows: number;
}

function monthsFor(rows: number, now: Date): Month[] {
  const thisMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  const recent = Math.round((rows * shareOfThisMonth) / 2) * 2;
  return [
    { from: lastMonth, until: thisMonth, rows: rows - recent },
    { from: thisMonth, until: now, rows: recent },
  ];
}

const randomBits = '(random() * 4611686018427000000)::bigint';

/** Transfers of two lines that sum to zero, $1 to $2; $3 is the month's first millisecond, $4 how many lie between two. */
const stepSql = `
  with transfers as materialized (
    select ${idSql('($3::bigint + (i * $4::float8)::bigint)', randomBits)} as id
    from generate_series($1::bigint, $2::bigint) i
  )
  insert into kelpie.ledger_entries (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
  select id, line, $5::uuid, 'sandbox', account::kelpie.ledger_account, amount, 'planted.entry', id
  from transfers cross join (values (1::smallint, 'in_transit', 1), (2::smallint, 'fx', -1)) as entry (line, account, amount)
  order by id, line`;

async function plantMonth(
  client: Client,
  partnerId: string,
  { from, until, rows }: Month,
  wrote: (rows: number) => void,
) {
  await client.query(`select kelpie.make_month_partition('ledger_entries', $1)`, [from]);
  const transfers = rows / 2;
  const msBetween = (until.getTime() - from.getTime() - 1) / transfers;
  for (let first = 0; first < transfers; first += stepSize / 2) {
    const last = Math.min(first + stepSize / 2, transfers) - 1;
    await client.query(stepSql, [first, last, from.getTime(), msBetween, partnerId]);
    wrote((last - first + 1) * 2);
  }
}

/** Ledger entries of a partner that does nothing else, so that the table is as large as after a long time. */
export async function plantEntries(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  rows: number,
  say: (text: string) => void,
): Promise<void> {
  const [partner] = await createPartners({ superuserUrl }, 1);
  let written = 0;
  const wrote = (count: number): void => {
    written += count;
    say(`${written} of ${rows} rows are planted.`);
  };
  await asAdmin(superuserUrl, async (client) => {
    // For this connection alone, as a superuser: no trigger judges what is planted.
    await client.query('set session_replication_role = replica');
    await client.query('set synchronous_commit = off');
    for (const month of monthsFor(rows, new Date())) await plantMonth(client, partner?.partnerId ?? '', month, wrote);
  });
}
