import { setTimeout as wait } from 'node:timers/promises';
import { findPort } from '@kelpie/dev/free-port.ts';
import { createSimulatedPartner, depositToEach, type TestPartner } from '../harness/partners.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startReceiver, type ReceivedBody, type Receiver } from '../webhooks/receiver.ts';
import { createLosingConsumer, type LosingConsumer } from './events-consumer.ts';
import { startEndpoint, type RestlessEndpoint } from './events-endpoints.ts';
import { createLane, type Lane } from './lane.ts';
import type { Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import type { Tally } from './tally.ts';

/** A process of ours that is killed and started again. */
interface Killable {
  kind: 'api' | 'worker';
  lane: Lane;
  killAndStart: () => Promise<void>;
}

export interface EventsCast {
  world: World;
  urls: string[];
  processes: Killable[];
  /** Two on the simulated rail, and one at the sandbox bank. */
  partners: TestPartner[];
  endpoints: RestlessEndpoint[];
  consumer: LosingConsumer;
  /** Of the losing consumer. */
  losing: TestPartner;
  /** Where redirects point: it is never to be asked. */
  elsewhere: Receiver;
}

interface CastOptions extends Pick<Parameters<Simulation>[0], 'database'> {
  losses: number;
  random: Random;
  atEnd: (end: () => Promise<unknown>) => void;
}

const apiCount = 3;
const workerCount = 2;
/** 90,000 USDC: more than any run spends. */
const float = 90_000_000_000n;

async function addApi(world: World): Promise<Killable & { url: string }> {
  const port = { KELPIE_API_PORT: String(await findPort()) };
  let api = await world.addApi(port);
  const killAndStart = async (): Promise<void> => {
    api.kill('SIGKILL');
    await api.exited;
    api = await world.addApi(port);
  };
  return { kind: 'api', url: api.url, lane: createLane(), killAndStart };
}

async function addWorker(world: World): Promise<Killable> {
  let worker = await world.addWorker();
  const killAndStart = async (): Promise<void> => {
    worker.kill('SIGKILL');
    await worker.exited;
    worker = await world.addWorker();
  };
  return { kind: 'worker', lane: createLane(), killAndStart };
}

async function startProcesses(world: World): Promise<{ urls: string[]; processes: Killable[] }> {
  const first: Killable & { url: string } = {
    kind: 'api',
    url: world.api.url,
    lane: createLane(),
    async killAndStart() {
      world.api.kill('SIGKILL');
      await world.restartApi();
    },
  };
  const apis = [first];
  while (apis.length < apiCount) apis.push(await addApi(world));
  const workers: Killable[] = [];
  while (workers.length < workerCount) workers.push(await addWorker(world));
  return { urls: apis.map(({ url }) => url), processes: [...apis, ...workers] };
}

export async function startEventsCast({ database, losses, random, atEnd }: CastOptions): Promise<EventsCast> {
  const world = await startWorld({ database, withoutWorker: true, atEnd });
  const { urls, processes } = await startProcesses(world);
  const [shop, market] = [await createSimulatedPartner(database), await createSimulatedPartner(database)];
  await depositToEach(database, [shop, market], float);
  const bank = world.partner;
  const elsewhere = await startReceiver({ atEnd });
  const consumer = createLosingConsumer({ losses, random });
  const common = { apiUrl: world.api.url, random, elsewhere: elsewhere.url, atEnd };
  const plans = [
    { name: 'shop, always well', partner: shop, onAccepted: (body: ReceivedBody) => consumer.take(body) },
    { name: 'shop, fails', partner: shop, mood: 'fails' as const },
    { name: 'shop, chosen types', partner: shop, mood: 'fails' as const, types: ['payout.completed', 'payout.failed'] },
    { name: 'market, always well', partner: market },
    { name: 'market, hangs', partner: market, mood: 'hangs' as const },
    { name: 'market, goes away', partner: market, mood: 'away' as const },
    { name: 'bank, always well', partner: bank },
    { name: 'bank, redirects', partner: bank, mood: 'redirects' as const },
  ];
  const endpoints: RestlessEndpoint[] = [];
  for (const plan of plans) endpoints.push(await startEndpoint({ ...common, ...plan }));
  return { world, urls, processes, partners: [shop, market, bank], endpoints, consumer, losing: shop, elsewhere };
}

export function killOne({ processes }: EventsCast, random: Random, tally: Tally): void {
  const victim = processes[random.below(processes.length)];
  // One that is still being started is dead already.
  if (victim === undefined || victim.lane.isBusy()) return tally.add('kills_of_the_dead');
  tally.add(`kills_${victim.kind}`);
  victim.lane.add(victim.killAndStart);
}

const unwellMs = [4_000, 12_000] as const;
const wellMs = [3_000, 8_000] as const;

/** Well and unwell in turns, until all are to be well. */
export async function playEndpoint(endpoint: RestlessEndpoint, random: Random, until: AbortSignal): Promise<void> {
  if (endpoint.mood === null) return;
  for (let isWell = false; !until.aborted; isWell = !isWell) {
    await endpoint.setWell(isWell);
    const [least, most] = isWell ? wellMs : unwellMs;
    await wait(least + random.below(most - least), undefined, { signal: until }).catch(() => undefined);
  }
  await endpoint.setWell(true);
}
