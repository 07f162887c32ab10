import { randomUUID } from 'node:crypto';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { startSandboxBank, type SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { readAddresses } from '../../src/cells/cell-store.ts';
import { addCell, publishPartner } from '../../src/cells/directory-store.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { adminUrlOf, createDirectory, prepareForCells, urlForCells } from '../harness/cells.ts';
import type { TestDatabase } from '../harness/database.ts';
import { createPartnerAtBank, createSimulatedPartner, depositToEach, type TestPartner } from '../harness/partners.ts';
import { signIn, type Person } from '../harness/people.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startEndpoint, type RestlessEndpoint } from './events-endpoints.ts';
import type { Random } from './random.ts';
import type { Simulation } from './simulation.ts';

export type AtEnd = (end: () => Promise<unknown>) => void;

export interface Cell {
  name: 'a' | 'b';
  database: TestDatabase;
  url: string;
}

/** Two cells that share a bank, two routers before them, and three partners that begin in the first cell. */
export interface CellsCast {
  from: Cell;
  to: Cell;
  directory: Pool;
  bank: SandboxBank;
  routers: string[];
  /** Every process of ours that says something, for what it said. */
  processes: Child[];
  /** The one with many payouts, the small one that is moved before it, and the one that stays. */
  moved: TestPartner;
  small: TestPartner;
  resident: TestPartner;
  /** Signed in for the moved partner. */
  person: Person;
  moverEnv: Readonly<Record<string, string>>;
}

async function addDatabase(beside: TestDatabase, name: string, atEnd: AtEnd): Promise<TestDatabase> {
  const adminUrl = adminUrlOf(beside);
  const database = `${new URL(beside.superuserUrl).pathname.slice(1)}_${name}`;
  atEnd(async () => dropDatabase(adminUrl, database));
  const urls = await prepareDatabase(adminUrl, { database });
  return { ...urls, superuserUrl: urlFor(adminUrl, database) };
}

interface StartedCells extends Pick<CellsCast, 'from' | 'to' | 'routers' | 'processes'> {
  directory: Pool;
  moverEnv: Record<string, string>;
}

async function startRouter(directoryUrl: string, port: number, atEnd: AtEnd): Promise<Child> {
  const router = startChild({
    name: 'router',
    file: 'service/src/cells/routes/router.ts',
    env: {
      CELLS_DIRECTORY_URL: urlForCells(directoryUrl, 'kelpie_router'),
      CELLS_API_KEY_PEPPER: testSecrets.KELPIE_API_KEY_PEPPER,
      CELLS_ROUTER_PORT: String(port),
    },
  });
  atEnd(async () => router.stop());
  await router.waitForEvent('router.listening');
  return router;
}

async function startCells(database: TestDatabase, bank: SandboxBank, atEnd: AtEnd): Promise<StartedCells> {
  const directoryUrl = await createDirectory(database, atEnd);
  const from: Cell = { name: 'a', database, url: `http://127.0.0.1:${await findPort()}` };
  const to: Cell = {
    name: 'b',
    database: await addDatabase(database, 'b', atEnd),
    url: `http://127.0.0.1:${await findPort()}`,
  };
  const directory = openPool({
    url: urlForCells(directoryUrl, 'kelpie_mover'),
    connections: 2,
    applicationName: 'kelpie-simulation',
    logger: createLogger('simulation', 'silent'),
  });
  atEnd(async () => directory.end());
  const ports = [await findPort(), await findPort()];
  const webhookUrl = `http://127.0.0.1:${ports[0]}/bank-webhooks/sandbox`;
  const { json } = await callWire(bank, '/webhooks', { body: { url: webhookUrl }, key: randomUUID() });
  const env = {
    KELPIE_SANDBOX_BANK_URL: bank.wireUrl,
    KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey,
    KELPIE_SANDBOX_BANK_CONTROL_URL: `${bank.url}/control`,
  };
  const processes: Child[] = [];
  const moverEnv: Record<string, string> = { CELLS_DIRECTORY_URL: urlForCells(directoryUrl, 'kelpie_mover') };
  for (const cell of [from, to]) {
    await prepareForCells(cell.database.superuserUrl, 'cell');
    moverEnv[`CELLS_DATABASE_URL_${cell.name.toUpperCase()}`] = urlForCells(cell.database.superuserUrl, 'kelpie_mover');
    await addCell(directory, cell);
    const apiEnv = {
      ...env,
      KELPIE_API_PORT: new URL(cell.url).port,
      KELPIE_SANDBOX_BANK_WEBHOOK_KEY: textAt(json, 'public_key').trim(),
    };
    processes.push(await startApi({ database: cell.database, atEnd, env: apiEnv }));
    processes.push(await startWorker({ database: cell.database, atEnd, env }));
  }
  for (const port of ports) processes.push(await startRouter(directoryUrl, port, atEnd));
  return { from, to, directory, processes, moverEnv, routers: ports.map((port) => `http://127.0.0.1:${port}`) };
}

/** Some 90,000 payouts: a history of 20,000 and an hour of the load. The same in the books and at the bank. */
async function addFunds({ database }: Cell, bank: SandboxBank, partner: TestPartner): Promise<void> {
  const microUsdc = 600_000_000_000;
  await depositToEach(database, [partner], BigInt(microUsdc));
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: microUsdc });
}

async function publish({ from, directory, moverEnv }: StartedCells, partners: readonly TestPartner[]): Promise<void> {
  const url = moverEnv['CELLS_DATABASE_URL_A'] ?? '';
  const logger = createLogger('simulation', 'silent');
  const pool = openPool({ url, connections: 1, applicationName: 'kelpie-simulation', logger });
  for (const { partnerId } of partners)
    await publishPartner(directory, { partnerId, cell: from.name }, await readAddresses(pool, partnerId));
  await pool.end();
}

export async function startCellsCast(
  { database }: Pick<Parameters<Simulation>[0], 'database'>,
  atEnd: AtEnd,
): Promise<CellsCast> {
  const bank = await startSandboxBank({ settleAfterMs: 200, atEnd });
  const started = await startCells(database, bank, atEnd);
  const { from } = started;
  const moved = await createPartnerAtBank(database, bank);
  const small = await createPartnerAtBank(database, bank);
  const resident = await createSimulatedPartner(database);
  for (const partner of [moved, small]) await addFunds(from, bank, partner);
  await depositToEach(database, [resident], 100_000_000_000n);
  const person = await signIn(database, moved, { url: started.routers[0] ?? '' });
  await publish(started, [moved, small, resident]);
  return { ...started, bank, moved, small, resident, person };
}

/** Once the history is there, which is not sent. */
export async function openEndpoint(
  { moved, from }: CellsCast,
  random: Random,
  atEnd: AtEnd,
): Promise<RestlessEndpoint> {
  const elsewhere = await startReceiver({ atEnd });
  const partner = { name: 'the moved partner', partner: moved, apiUrl: from.url };
  return startEndpoint({ ...partner, random, elsewhere: elsewhere.url, atEnd });
}
