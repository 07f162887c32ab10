import { after } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox, type MailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readDeposits } from '../../src/funding/wake-deposit.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startWorld, type World } from '../harness/world.ts';

type AtEnd = (end: () => Promise<unknown>) => void;

/** A world whose partners top up their wallets, with a clock that can be moved and an inbox. */
export interface FundingWorld extends World {
  clock: TestClock;
  inbox: MailInbox;
}

/** Where a test says when the float is balanced, the clock on the wall must not. */
async function stopBalancing({ superuserUrl }: Superuser): Promise<void> {
  await asAdmin(superuserUrl, async (admin) =>
    admin.query(`delete from pgboss.schedule where name = 'balance-floats'`),
  );
}

export async function startFundingWorld(
  options: {
    environment?: 'sandbox' | 'live';
    settleAfterMs?: number;
    database?: TestDatabase;
    withFloat?: true;
    atEnd?: AtEnd;
  } = {},
): Promise<FundingWorld> {
  const { atEnd = after } = options;
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  atEnd(async () => inbox.close());
  const clock = createTestClock({ atEnd });
  const env = {
    KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}`,
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  };
  const database = options.database ?? (await createTestDatabase());
  if (options.withFloat) await stopBalancing(database);
  const world = await startWorld({ env, ...options, database });
  return Object.assign(world, { clock, inbox });
}

/** Longer than a source is ever left alone, and by that than any webhook that was lost. */
export const longestPauseMs = 16 * 60_000;

type Superuser = Pick<TestDatabase, 'superuserUrl'>;

/** Where a partner's top-ups come in, by the bank's ids. */
export interface Places {
  accountId: string;
  addressId: string;
}

/** Opened by a job, within seconds where it is asked for. */
export async function untilFunded(
  { superuserUrl }: Superuser,
  partnerEnvironment: PartnerContext,
  timeoutMs = 90_000,
): Promise<Places> {
  return eventually(
    'the partner has somewhere to send its top-ups to',
    async () =>
      asAdmin(superuserUrl, async (client) => {
        const { rows } = await client.query<{ method: string; source_id: string }>(
          'select method, source_id from kelpie.funding_sources where partner_id = $1 and environment = $2',
          [partnerEnvironment.partnerId, partnerEnvironment.environment],
        );
        const accountId = rows.find(({ method }) => method === 'bank_transfer')?.source_id;
        const addressId = rows.find(({ method }) => method === 'usdc')?.source_id;
        return accountId !== undefined && addressId !== undefined && { accountId, addressId };
      }),
    timeoutMs,
  );
}

/** Work that comes round by itself, now. */
export async function openRounds(
  { serviceUrl }: Pick<TestDatabase, 'serviceUrl'>,
  atEnd: AtEnd = after,
): Promise<(queue?: string) => Promise<void>> {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: serviceUrl, connections: 2, applicationName: 'rounds', logger });
  const jobs = await startJobSender(pool, logger);
  atEnd(async () => {
    await jobs.stop();
    await pool.end();
  });
  const send = async (name: string): Promise<boolean> =>
    inTransaction(pool, 'shared', async (tx) => jobs.enqueue(tx, { name, retryLimit: 3 }, {})).then(
      () => true,
      // A machine that is busy with other things may not give a connection in time.
      () => false,
    );
  return async (name = readDeposits.name) => {
    await eventually('the job is sent', async () => send(name));
  };
}

export interface DepositRow {
  id: string;
  state: string;
  bank_state: string;
  net: string | null;
  fee: string | null;
  rate: string | null;
  sent_pence: string | null;
  owed: string;
  repaid: string;
  trouble: string | null;
  revision: number;
}

/** By the bank's id of it. */
export async function findDeposit({ superuserUrl }: Superuser, bankDepositId: string): Promise<DepositRow | undefined> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<DepositRow>(
      `select id, state, bank_state, net_micro_usdc as net, fee_micro_usdc as fee, gbp_per_usd_millionths as rate, sent_pence,
         owed_micro_usdc as owed, repaid_micro_usdc as repaid, trouble, revision
       from kelpie.deposits where bank_deposit_id = $1`,
      [bankDepositId],
    );
    return rows[0];
  });
}

export async function untilDeposit(
  database: Superuser,
  bankDepositId: string,
  state: string,
  timeoutMs = 20_000,
): Promise<DepositRow> {
  let last: DepositRow | undefined;
  const look = async (): Promise<DepositRow | false> => {
    last = await findDeposit(database, bankDepositId);
    return last?.state === state && last;
  };
  return eventually(`the deposit is ${state}`, look, timeoutMs).catch((error: unknown) => {
    throw new Error(`it is ${JSON.stringify(last)}`, { cause: error });
  });
}

export async function balanceOf({ superuserUrl }: Superuser, partnerEnvironment: PartnerContext): Promise<bigint> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ balance: string }>(
      'select balance_micro_usdc as balance from kelpie.wallets where partner_id = $1 and environment = $2',
      [partnerEnvironment.partnerId, partnerEnvironment.environment],
    );
    return BigInt(rows[0]?.balance ?? -1);
  });
}

/** The subjects of the mails to an address, the oldest first. */
export function subjectsTo({ inbox }: Pick<FundingWorld, 'inbox'>, email: string): string[] {
  return inbox
    .mails()
    .filter(({ to }) => to.includes(email))
    .map(({ subject }) => subject)
    .toReversed();
}
