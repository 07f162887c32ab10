import { randomUUID } from 'node:crypto';
import { startMailInbox, type MailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
import type { TestDatabase } from '../harness/database.ts';
import { addLiveEnvironment, createSimulatedPartner, depositToEach, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import type { ApiProcess } from '../harness/processes.ts';
import { startWorld, type World } from '../harness/world.ts';

/** Where attacks happen: real processes, a stand-in for the live bank, and emails that arrive. */
export interface Stage {
  world: World;
  inbox: MailInbox;
  clock: TestClock;
  /** Two processes of the api, for what is raced. */
  apis: readonly [ApiProcess, ApiProcess];
  /** One more, with other settings. */
  addApi: (env: Readonly<Record<string, string>>) => Promise<ApiProcess>;
  sql: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
}

interface StageOptions {
  database: TestDatabase;
  atEnd: (end: () => Promise<unknown>) => void;
}

/** From the network of whoever runs it: a browser says what it is. */
export const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

export async function startStage({ database, atEnd }: StageOptions): Promise<Stage> {
  const clock = createTestClock({ atEnd });
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  atEnd(inbox.close);
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}` };
  const world = await startWorld({ database, environment: 'live', env, atEnd });
  return stageOn({ world, inbox, clock }, [world.api, await world.addApi()], {});
}

/** The same stage with other processes of the api, for a hole that is planted in them. */
export function stageOn(
  { world, inbox, clock }: Pick<Stage, 'world' | 'inbox' | 'clock'>,
  apis: Stage['apis'],
  env: Readonly<Record<string, string>>,
): Stage {
  return {
    world,
    inbox,
    clock,
    apis,
    addApi: async (more) => world.addApi({ ...more, ...env }),
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      asAdmin(world.database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows),
  };
}

/** A verified business with both environments, a key for each, and its only admin, signed in. */
export interface Victim {
  partnerId: string;
  slug: string;
  sandbox: TestPartner;
  live: TestPartner;
  admin: Person;
}

interface VictimOptions {
  /** What the live wallet holds. */
  liveUsdc?: bigint;
}

const microUsdc = 1_000_000n;
const usualUsdc = 10_000n;

export async function createVictim(
  { world, sql, apis }: Stage,
  { liveUsdc = usualUsdc }: VictimOptions = {},
): Promise<Victim> {
  const sandbox = await createSimulatedPartner(world.database);
  const live = await addLiveEnvironment(world.database, world.bank, sandbox);
  const { partnerId } = sandbox;
  await sql(`update kelpie.partners set verification_status = 'approved' where id = $1`, [partnerId]);
  const more = (liveUsdc - usualUsdc) * microUsdc;
  if (more > 0n) {
    await world.bank.control(`/wallets/${live.walletId}/adjust`, { micro_usdc: Number(more) });
    await depositToEach(world.database, [live], more);
  }
  const admin = await signIn(world.database, sandbox, { url: apis[0].url });
  return { partnerId, slug: `p-${partnerId.slice(-12)}`, sandbox, live, admin };
}

/** A live payout as the dashboard asks for it. */
export async function payAs(
  person: Person,
  { amount = '10.00', code, key = randomUUID() }: { amount?: string; code?: string; key?: string } = {},
): Promise<ApiAnswer> {
  const body = payoutBody({ amount_gbp: amount });
  return callAs(person, '/v1/payouts?environment=live', {
    method: 'POST',
    body: code === undefined ? body : { ...body, confirm_code: code },
    headers: { 'idempotency-key': key },
  });
}

/** What left a live wallet, as our books say it: released holds are not in it. */
export async function paidPence({ sql }: Stage, partnerId: string): Promise<bigint> {
  const [row] = await sql<{ pence: string }>(
    `select coalesce(sum(amount_pence), 0) as pence from kelpie.payouts
     where partner_id = $1 and environment = 'live' and state in ('sending', 'pending', 'processing', 'completed')`,
    [partnerId],
  );
  return BigInt(row?.pence ?? 0);
}
