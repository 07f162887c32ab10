import { once } from 'node:events';
import { createServer } from 'node:http';
import { checkOutCommit } from '@kelpie/dev/checkout-commit.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { assertMade, countPayouts } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { startHttpLoad, type HttpLoad, type PayoutsMade } from './http-load.ts';
import { readProcessorTime } from './processor-time.ts';
import { againstNames, lineOf, type AgainstLine, type AgainstName, type SlicePair } from './report-against.ts';
import { createRequests } from './requests.ts';
import { startServedCheckout, type CheckoutAnswer } from './served-checkout.ts';
import { measureSlice, type Slice, type Timing } from './slice.ts';

// Two commits in one run, in turn: a slow minute of the machine is slow for both.

interface AgainstOptions {
  /** Any revision that git knows. The other side is this checkout as it is, changes that are not committed included. */
  revision: string;
  partners: number;
  rounds: number;
  /** For how long each api first runs, until its code is compiled: some thousand requests. */
  warmUpMs: number;
  timing: Timing;
  /** The share of requests of which this checkout sends traces; none where it is undefined. */
  traces: string | undefined;
  /** For the person who waits. */
  say: (text: string) => void;
}

const variantNames = ['base', 'head'] as const;
type VariantName = (typeof variantNames)[number];

/** One of the two commits, with a database and an api of its own. */
interface Variant {
  measure(name: AgainstName, timing: Timing): Promise<Slice>;
  restart(): Promise<void>;
  assertAllMade(): Promise<void>;
}

/** A process may be faster or slower for as long as it lives, whatever its commit. Several of each side even that out. */
const roundsPerProcess = 4;

const connectionsOf: Readonly<Record<AgainstName, number>> = {
  create_1: 1,
  create_32: 32,
  create_128: 128,
  hot_1: 1,
  hot_32: 32,
  hot_128: 128,
};

/** All measures of a round begin at another one every two rounds, after either side has come first. */
function inTurn(round: number): AgainstName[] {
  const first = Math.floor(round / 2) % againstNames.length;
  return [...againstNames.slice(first), ...againstNames.slice(0, first)];
}

function variantsInTurn(round: number): VariantName[] {
  return round % 2 === 0 ? [...variantNames] : variantNames.toReversed();
}

async function createVariant(
  server: BenchServer,
  http: HttpLoad,
  { name, ...served }: { name: VariantName; folder: string; partners: number; env: Readonly<Record<string, string>> },
): Promise<Variant> {
  const database = `kelpie_bench_${process.pid}_${name}`;
  server.atEnd(async () => dropDatabase(server.adminUrl, database));
  const checkout = startServedCheckout();
  server.atEnd(async () => checkout.end());
  let api: CheckoutAnswer = await checkout.serve({ ...served, adminUrl: server.adminUrl, database });
  const ofMany = createRequests(api);
  const ofOne = ofMany.slice(0, 1);
  const all: PayoutsMade = { counted: 0, unclear: 0 };
  return {
    async measure(measure, timing) {
      const { port, pid } = api;
      const requests = measure.startsWith('hot') ? ofOne : ofMany;
      const before = http.payoutsMade(port);
      const start = () => http.start({ port, connections: connectionsOf[measure], requests, status: 201 });
      const slice = await measureSlice(start, timing, () => readProcessorTime(server.postmaster, pid));
      const after = http.payoutsMade(port);
      all.counted += after.counted - before.counted;
      all.unclear += after.unclear - before.unclear;
      return slice;
    },
    async restart() {
      api = await checkout.restart();
    },
    async assertAllMade() {
      assertMade(await countPayouts(urlFor(server.adminUrl, database)), all);
    },
  };
}

async function measurePair(
  variants: Readonly<Record<VariantName, Variant>>,
  name: AgainstName,
  { order, timing }: { order: readonly VariantName[]; timing: Timing },
): Promise<SlicePair> {
  const taken: Partial<Record<VariantName, Slice>> = {};
  for (const variant of order) taken[variant] = await variants[variant].measure(name, timing);
  const { base, head } = taken;
  if (base === undefined || head === undefined) throw new Error('a round without one of its sides');
  return { base, head };
}

/** A collector that takes every trace, and the settings that send them there. */
async function startCollecting(server: BenchServer, ratio: string): Promise<Record<string, string>> {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  const port = await findPort();
  collector.listen(port, '127.0.0.1');
  await once(collector, 'listening');
  server.atEnd(async () => {
    collector.closeAllConnections();
    collector.close();
  });
  return { KELPIE_OTLP_URL: `http://127.0.0.1:${port}`, KELPIE_TRACE_RATIO: ratio };
}

export async function compareAgainst(server: BenchServer, options: AgainstOptions): Promise<AgainstLine[]> {
  const { revision, partners, rounds, warmUpMs, timing, traces, say } = options;
  say(`Checking out ${revision} and installing its dependencies.`);
  const checkout = await checkOutCommit(revision);
  server.atEnd(async () => checkout.remove());
  say(`Base is ${checkout.commit.slice(0, 12)}. Head is this checkout as it is.`);
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const env = traces === undefined ? {} : await startCollecting(server, traces);
  const variants = {
    base: await createVariant(server, http, { name: 'base', folder: checkout.folder, partners, env: {} }),
    head: await createVariant(server, http, { name: 'head', folder: projectFolder, partners, env }),
  };
  const pairs = new Map(againstNames.map((name): [AgainstName, SlicePair[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = variantsInTurn(round);
    if (round % roundsPerProcess === 0) {
      // Such rounds are all even: by their own order, the base would always be the older process.
      const fresh = variantsInTurn(round / roundsPerProcess);
      if (round > 0) for (const variant of fresh) await variants[variant].restart();
      if (warmUpMs > 0) say('Warming up.');
      if (warmUpMs > 0)
        for (const variant of fresh) await variants[variant].measure('create_128', { ...timing, warmMs: warmUpMs });
    }
    for (const name of inTurn(round)) {
      const pair = await measurePair(variants, name, { order, timing });
      pairs.get(name)?.push(pair);
      const { base, head } = pair;
      say(`${round + 1}/${rounds} ${name.padEnd(10)} base ${base.tps.toFixed(0)}/s, head ${head.tps.toFixed(0)}/s`);
    }
  }
  for (const name of variantNames) await variants[name].assertAllMade();
  return [...pairs].map(([name, taken]) => lineOf(name, taken));
}
