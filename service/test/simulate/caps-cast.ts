import { findPort } from '@kelpie/dev/free-port.ts';
import { Client } from 'pg';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { endOfDay } from '../../src/platform/london-day.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestClock, passTime, type TestClock } from '../harness/clock.ts';
import { plantKeyLimit, plantLimits } from '../harness/limited-payouts.ts';
import { addKey, createSimulatedPartner, depositToEach, type TestPartner } from '../harness/partners.ts';
import { startWorld, type World } from '../harness/world.ts';
import type { CapsChange, KeyCap, RefusedRequest } from './caps-model.ts';
import { createLane, type Lane } from './lane.ts';
import type { Random } from './random.ts';
import type { Simulation } from './simulation.ts';

/** A partner, its keys, and what happened to its limits. */
export interface CappedPartner extends TestPartner {
  name: string;
  keys: { key: string; keyId: string }[];
  keyCaps: Map<string, KeyCap>;
  changes: CapsChange[];
  refusals: RefusedRequest[];
  /** Which account each order pays, by its idempotency key. */
  accountOf: Map<string, string>;
}

interface KillableApi {
  url: string;
  lane: Lane;
  killAndStart: () => Promise<void>;
}

export interface CapsCast {
  world: World;
  clock: TestClock;
  /** The time of our processes. */
  now: () => Date;
  pool: Pool;
  versions: WalletVersions;
  partners: CappedPartner[];
  apis: KillableApi[];
}

export const firstCaps = { daily: 3_000_000n, newPayee: 2_000_000n };
const apiCount = 3;
const livePartners = 4;
/** 3 million USDC: more than anybody can spend. The last partner is poor. */
const float = 3_000_000_000_000n;

/** Midnight in London comes when so much of the run is over. */
function msToMidnight(seconds: number): number {
  return (seconds * 1_000) / 2;
}

async function addCaps(cast: Pick<World, 'database'>, partner: TestPartner, name: string, fullLimitAt: Date) {
  const { database } = cast;
  const { key, keyId } = partner;
  const keys = [{ key, keyId }, await addKey(database, partner), await addKey(database, partner)];
  const caps: KeyCap[] = [
    { daily: null, fullLimitAt: null },
    { daily: 500_000n, fullLimitAt: null },
    // Only a key of live is ever new.
    { daily: 900_000n, fullLimitAt: partner.environment === 'live' ? fullLimitAt : null },
  ];
  const keyCaps = new Map(keys.map((one, at) => [one.keyId, caps[at] ?? { daily: null, fullLimitAt: null }]));
  for (const [id, { daily, fullLimitAt: until }] of keyCaps)
    await plantKeyLimit(database, id, { daily: daily === null ? null : `${daily / 100n}.00`, fullLimitAt: until });
  await plantLimits(database, partner, { daily: '30000.00', newPayee: '20000.00' });
  return { ...partner, name, keys, keyCaps, changes: [], refusals: [], accountOf: new Map<string, string>() };
}

/** Three apis, a worker, four live partners and one of the sandbox, some seconds before midnight in London. */
export async function startCapsCast(
  { database, seconds }: Pick<Parameters<Simulation>[0], 'database' | 'seconds'>,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<CapsCast> {
  const clock = createTestClock({ atEnd });
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
  const world = await startWorld({ database, settleAfterMs: 1_500, env, environment: 'live', atEnd });
  const logger = createLogger('simulate', 'silent');
  const pool = openPool({
    url: database.serviceUrl,
    connections: 2,
    applicationName: 'simulate-caps',
    logger,
    pace: 'unhurried',
  });
  atEnd(async () => pool.end());

  const live: TestPartner[] = [world.partner];
  while (live.length < livePartners) live.push(await world.addPartner());
  const sandbox = await createSimulatedPartner(database);
  const rich = [...live.slice(0, -1), sandbox];
  await depositToEach(database, rich, float);
  for (const { walletId } of live.slice(0, -1))
    await world.bank.control(`/wallets/${walletId}/adjust`, { micro_usdc: Number(float) });

  const apis: KillableApi[] = [
    {
      url: world.api.url,
      lane: createLane(),
      async killAndStart() {
        world.api.kill('SIGKILL');
        await world.restartApi();
      },
    },
  ];
  while (apis.length < apiCount) {
    const port = { KELPIE_API_PORT: String(await findPort()) };
    let api = await world.addApi(port);
    apis.push({
      url: api.url,
      lane: createLane(),
      async killAndStart() {
        api.kill('SIGKILL');
        await api.exited;
        api = await world.addApi(port);
      },
    });
  }
  // Last, because starting takes time.
  const shiftMs = Math.round(endOfDay(new Date()).getTime() - Date.now() - msToMidnight(seconds));
  await passTime({ clock, bank: world.bank }, shiftMs);
  const now = (): Date => new Date(Date.now() + shiftMs);
  // In the first minutes of the next day a new key gets its full limit.
  const fullLimitAt = new Date(endOfDay(now()).getTime() + (seconds * 1_000) / 6);
  const partners: CappedPartner[] = [];
  for (const [at, partner] of live.entries())
    partners.push(await addCaps(world, partner, at === live.length - 1 ? 'poor' : `live-${at + 1}`, fullLimitAt));
  partners.push(await addCaps(world, sandbox, 'sandbox', fullLimitAt));
  const versions = await watchVersions(database.superuserUrl, atEnd);
  return { world, clock, now, pool, versions, partners, apis };
}

/** How often each wallet has changed. Who asks at the same time is answered by one query. */
interface WalletVersions {
  /** As it was read last: it is no less by now. */
  known(of: PartnerContext): number;
  /** As it is read from now on. */
  read(of: PartnerContext): Promise<number>;
}

const walletKey = ({ partnerId, environment }: PartnerContext): string => `${partnerId} ${environment}`;

async function watchVersions(
  superuserUrl: string,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<WalletVersions> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  atEnd(async () => client.end());
  const versions = new Map<string, number>();
  const query = async (): Promise<void> => {
    const { rows } = await client.query<{ wallet: string; version: string }>(
      `select partner_id || ' ' || environment as wallet, version from kelpie.wallets`,
    );
    for (const { wallet, version } of rows) versions.set(wallet, Number(version));
  };
  await query();
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return {
    known: (of) => versions.get(walletKey(of)) ?? 0,
    async read(of) {
      next ??= running.then(async () => {
        next = null;
        running = query();
        return running;
      });
      await next;
      return versions.get(walletKey(of)) ?? 0;
    },
  };
}

/** Other limits, from 20,000.00 to 100,000.00, and where in the order of the wallet they begin to hold. */
export async function changeCaps({ pool }: CapsCast, partner: CappedPartner, random: Random): Promise<void> {
  const { partnerId, environment, changes } = partner;
  const daily = 2_000_000n + BigInt(random.below(8_000_001));
  const newPayee = 2_000_000n + BigInt(random.below(1_000_001));
  const change = await inTransaction(pool, { partnerId, environment }, async (tx) => {
    await tx.query('select kelpie.set_spending_limits(true, $1, true, $2)', [daily, newPayee]);
    const { rows } = await tx.query<{ version: string }>(
      'select version from kelpie.wallets where partner_id = $1 and environment = $2',
      [partnerId, environment],
    );
    return { afterVersion: Number(rows[0]?.version ?? 0), daily, newPayee };
  });
  changes.push(change);
}
