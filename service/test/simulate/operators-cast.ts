import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginAudit } from '@kelpie/dev/postgres/prepare.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { TestPartner } from '../harness/partners.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startWorld, type World } from '../harness/world.ts';
import { partnersInAll } from './operators-plan.ts';
import { createTally, type Tally } from './tally.ts';

export interface OpenCase {
  id: string;
  kind: string;
  payoutId: string | null;
  /** How many steps it has had: a correction names it. */
  revision: number;
}

/** Partners, a bank that can be told what to do, and two operators. */
export interface Cast {
  world: World;
  tally: Tally;
  partnerAt: (place: number) => TestPartner;
  clientOf: (place: number) => Client;
  /** Wallets are spent in time: other partners come. */
  changePartners: () => Promise<void>;
  /** A transfer of this partner's, as the bank has it. */
  knownTransfer: (place: number) => Promise<unknown>;
  sql: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  passTime: (ms: number) => Promise<void>;
  /** The bank has less than the wallet shows, while it is played. */
  whileShort: <Done>(place: number, during: () => Promise<Done>) => Promise<Done>;
  openCases: () => Promise<OpenCase[]>;
  untilOver: (keys: readonly string[]) => Promise<void>;
  isRefunded: (payoutId: string) => Promise<boolean>;
  /** The operator's command, as one of the two. */
  command: (person: 0 | 1, args: readonly string[]) => Promise<CommandResult>;
  /** A copy of the whole database, taken while nothing runs. */
  backUp: () => Promise<void>;
  restore: () => Promise<void>;
}

const settleAfterMs = 24 * 3_600_000;
const quietWithinMs = 60_000;

interface Known {
  partner: TestPartner;
  transfer: unknown;
}

async function addKnown(world: World): Promise<Known> {
  const partner = await world.addPartner('live');
  const made = await createPayout({ url: world.api.url, key: partner.key }, payoutBody({ amount_gbp: '3.00' }));
  if (made.status !== 201) throw new Error(`a first payout: ${made.text}`);
  const { payments } = await world.bank.record();
  const ids = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ order_id: string }>('select order_id from kelpie.payouts where id = $1', [made.id]),
  );
  const order = ids.rows[0]?.order_id;
  const payment = payments.find((one) => one.client_reference_id === order)?.transfer_id ?? '';
  await world.bank.control(`/transfers/${payment}/settle`);
  return { partner, transfer: (await callWire(world.bank, `/transfers/${payment}`)).json };
}

/** As a database is restored from a backup: the whole of it, with nobody connected. */
async function copyDatabase(adminUrl: string, from: string, to: string): Promise<void> {
  await dropDatabase(adminUrl, to);
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from]);
    await admin.query(
      `create database ${admin.escapeIdentifier(to)} template ${admin.escapeIdentifier(from)} owner kelpie_owner`,
    );
  });
}

/** Whether none of these orders is under way, or waits for anything but a person. */
async function areOver({ sql }: Pick<Cast, 'sql'>, keys: readonly string[]): Promise<boolean> {
  const open = await sql(
    `select from kelpie.payouts p where p.idempotency_key = any ($1) and (p.state in ('sending', 'processing')
       or (p.state = 'pending' and not exists (
         select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null)))`,
    [keys],
  );
  return open.length === 0;
}

export async function startCast(database: TestDatabase, atEnd: (end: () => Promise<unknown>) => void): Promise<Cast> {
  const clock = createTestClock({ atEnd });
  const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-anchor-'));
  atEnd(async () => rm(folder, { recursive: true }));
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_HEARTBEAT_ANCHOR: path.join(folder, 'heartbeat') };
  const world = await startWorld({ database, environment: 'live', settleAfterMs, env, atEnd });
  const name = new URL(database.superuserUrl).pathname.slice(1);
  const backup = `${name}_backup`;
  const adminUrl = urlFor(database.superuserUrl, 'postgres');
  atEnd(async () => dropDatabase(adminUrl, backup));
  let known: Known[] = [];
  const at = (place: number): Known => {
    const found = known[place];
    if (found === undefined) throw new Error('a partner that is not there');
    return found;
  };
  const bankEnv = { KELPIE_LIVE_BANK_URL: world.bank.wireUrl, KELPIE_LIVE_BANK_API_KEY: world.bank.apiKey };
  const copy = async (from: string, to: string): Promise<void> => {
    await Promise.all([world.api.stop(), world.worker?.stop()]);
    await copyDatabase(adminUrl, from, to);
    await world.restartApi();
    await world.restartWorker();
  };
  const adjust = async (place: number, microUsdc: bigint): Promise<void> => {
    await world.bank.control(`/wallets/${at(place).partner.walletId}/adjust`, { micro_usdc: Number(microUsdc) });
  };
  const cast: Cast = {
    world,
    tally: createTally(),
    partnerAt: (place) => at(place).partner,
    clientOf: (place) => ({ url: world.api.url, key: at(place).partner.key }),
    async changePartners() {
      const next: Known[] = [];
      while (next.length < partnersInAll) next.push(await addKnown(world));
      known = next;
    },
    knownTransfer: async (place) => at(place).transfer,
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows),
    async passTime(ms) {
      await passTime({ clock, bank: world.bank }, ms);
    },
    async whileShort(place, during) {
      const held = textAt(await world.bank.control(`GET /wallets/${at(place).partner.walletId}`), 'balance_micro_usdc');
      const away = BigInt(held) - 1_000_000n;
      await adjust(place, -away);
      const done = await during();
      await adjust(place, away);
      return done;
    },
    openCases: async () =>
      cast.sql<OpenCase>(
        `select c.id, c.kind, c.payout_id as "payoutId",
           (select count(*)::int from kelpie.case_history h where h.case_id = c.id) as revision
         from kelpie.cases c where c.closed_at is null order by c.opened_at, c.id`,
      ),
    async untilOver(keys) {
      const isOver = async (): Promise<boolean> => areOver(cast, keys);
      await eventually('every order is at its end, or waits for a person', isOver, quietWithinMs);
    },
    isRefunded: async (payoutId) =>
      (await cast.sql('select from kelpie.payouts where id = $1 and bank_refunded_micro_usdc is not null', [payoutId]))
        .length > 0,
    command: async (person, args) =>
      kelpieAdmin(database, [...args, '--json'], {
        ...env,
        ...bankEnv,
        ...(person === 0 ? {} : asSecondPerson(database)),
      }),
    backUp: async () => copy(name, backup),
    restore: async () => copy(backup, name),
  };
  await beginAudit(database, testSecrets.KELPIE_AUDIT_KEY);
  await cast.changePartners();
  return cast;
}
