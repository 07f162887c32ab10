import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { optionalTextAt, textAt } from '@kelpie/dev/json.ts';
import { startMailInbox, type MailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { refreshVerifications } from '../../src/partners/index.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import type { ApiAnswer } from '../harness/client.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startWorld, type World } from '../harness/world.ts';

/** A world whose bank verifies businesses, with a clock that can be moved and an inbox. */
export interface VerifyingWorld extends World {
  clock: TestClock;
  inbox: MailInbox;
}

export async function startVerifyingWorld(options: { withoutWorker?: true } = {}): Promise<VerifyingWorld> {
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  after(inbox.close);
  const clock = createTestClock();
  const env = {
    KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}`,
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  };
  const world = await startWorld({ environment: 'live', env, ...options });
  return Object.assign(world, { clock, inbox });
}

/** A business that is not verified yet, with an admin who has signed in. */
export interface Business {
  partnerId: string;
  name: string;
  key: string;
  admin: Person;
}

export async function openBusiness({ database, api }: Pick<World, 'database' | 'api'>): Promise<Business> {
  const partner = await createSimulatedPartner(database);
  const name = `Tideway ${randomBytes(4).toString('hex')}`;
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set status = 'onboarding', name = $2 where id = $1`, [
      partner.partnerId,
      name,
    ]),
  );
  const admin = await signIn(database, partner, { url: api.url });
  return { partnerId: partner.partnerId, name, key: partner.key, admin };
}

export async function askToStart(person: Pick<Person, 'url' | 'cookie'>): Promise<ApiAnswer> {
  return callAs(person, '/v1/compliance/verification', { method: 'POST' });
}

/** Starts it, and says by which id the bank knows it. */
export async function start({ database }: Pick<World, 'database'>, { admin, partnerId }: Business): Promise<string> {
  const answer = await askToStart(admin);
  assert.equal(answer.status, 200, answer.text);
  const [newest] = await verificationsOf(database, partnerId);
  assert(newest !== undefined);
  return newest.id;
}

interface VerificationRow {
  id: string;
  state: string;
  customer_id: string | null;
  due_at: Date | null;
}

type Superuser = Pick<TestDatabase, 'superuserUrl'>;

/** Newest first. */
export async function verificationsOf({ superuserUrl }: Superuser, partnerId: string): Promise<VerificationRow[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<VerificationRow>(
      'select id, state, customer_id, due_at from kelpie.verifications where partner_id = $1 order by started_at desc',
      [partnerId],
    );
    return rows;
  });
}

/** What a partner has of live: as a rule nothing, or one environment with an empty wallet. */
export async function liveOf({ superuserUrl }: Superuser, partnerId: string): Promise<object[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<object>(
      `select p.status, e.rail::text, e.bank_customer_id as customer, e.bank_wallet_id as wallet,
         w.balance_micro_usdc::int as balance
       from kelpie.partners p
       join kelpie.partner_environments e on e.partner_id = p.id and e.environment = 'live'
       left join kelpie.wallets w on w.partner_id = p.id and w.environment = 'live'
       where p.id = $1`,
      [partnerId],
    );
    return rows;
  });
}

export interface Shown {
  status: string;
  provider: string | null;
  continueUrl: string | null;
  termsUrl: string | null;
}

export function shownBy({ json }: ApiAnswer): Shown {
  const at = (field: string): string | null => optionalTextAt(json, `business_verification.${field}`);
  return {
    status: textAt(json, 'business_verification.status'),
    provider: at('provider_status'),
    continueUrl: at('continue_url'),
    termsUrl: at('terms_url'),
  };
}

export async function show({ admin }: Business): Promise<Shown> {
  return shownBy(await callAs(admin, '/v1/compliance'));
}

export async function untilShown(business: Business, status: string, timeoutMs = 20_000): Promise<Shown> {
  let last: Shown | undefined;
  const look = async (): Promise<Shown | false> => {
    last = await show(business);
    return last.status === status && last;
  };
  return eventually(`the verification is ${status}`, look, timeoutMs).catch((error: unknown) => {
    throw new Error(`it is ${JSON.stringify(last)}`, { cause: error });
  });
}

/** The wallets that the bank has opened for a customer. */
export async function walletsAtBank({ databaseUrl }: World['bank'], customerId: string): Promise<string[]> {
  return asAdmin(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>('select id from bank.wallets where customer_id = $1', [
      customerId,
    ]);
    return rows.map(({ id }) => id);
  });
}

/** The round that comes every minute, now. */
export async function openRounds({ serviceUrl }: Pick<TestDatabase, 'serviceUrl'>): Promise<() => Promise<void>> {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: serviceUrl, connections: 2, applicationName: 'rounds', logger });
  const jobs = await startJobSender(pool, logger);
  after(async () => {
    await jobs.stop();
    await pool.end();
  });
  return async () => {
    await inTransaction(pool, 'shared', async (tx) => jobs.enqueue(tx, refreshVerifications, {}));
  };
}

/** The subjects of the mails that a person has got, the oldest first. */
export function subjectsTo({ inbox }: VerifyingWorld, { email }: Pick<Person, 'email'>): string[] {
  return inbox
    .mails()
    .filter(({ to }) => to.includes(email))
    .map(({ subject }) => subject)
    .toReversed();
}
