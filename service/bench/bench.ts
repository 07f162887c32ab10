// npm run bench [-- --quick | --against COMMIT | --reads | --loaded NUMBER | --curve | --life SECONDS [--callers NUMBER] [--without-endpoint] [--functions] | --waiters NUMBER | --webhooks | --memory REQUESTS | --invoices PARTNERS | --reconcile PAYOUTS]: the api against bare PostgreSQL, which does the same without it, or against another commit.
// JSON lines on standard output; what goes on meanwhile on standard error. docs/performance.md says what the figures mean.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { clusterNames, type ClusterName } from '@kelpie/dev/postgres/cluster.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { startBenchServer, type BenchServer } from './bench-server.ts';
import { compare } from './compare.ts';
import { compareAgainst } from './compare-against.ts';
import { compareLoaded } from './compare-loaded.ts';
import { compareReads } from './compare-reads.ts';
import { drawCurve } from './draw-curve.ts';
import { measureCurve } from './measure-curve.ts';
import { measureInvoices } from './measure-invoices.ts';
import { measureMemory } from './measure-memory.ts';
import { measureReconciliation } from './measure-reconciliation.ts';
import { measureWaiters } from './measure-waiters.ts';
import { measureWebhooks } from './measure-webhooks.ts';
import { findAbove, summarise } from './report-against.ts';
import { measureWholeLife } from './whole-life.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** One round of moments: it shows that it works, and nothing else. */
    trial: { type: 'boolean', default: false },
    /** This checkout against another commit. */
    against: { type: 'string' },
    /** Of so many rounds. */
    rounds: { type: 'string' },
    /** With traces of this share of its requests, as 0.1. */
    traces: { type: 'string' },
    /** Fails where the upper end of an interval is above this ratio. */
    limit: { type: 'string' },
    /** How it is on a database that has so many payouts already. */
    loaded: { type: 'string' },
    /** What writing down each request, and limits, cost a read. */
    reads: { type: 'boolean', default: false },
    /** Draws docs/performance.svg. */
    curve: { type: 'boolean', default: false },
    /** The whole life of payouts through the sandbox bank, for so long. */
    life: { type: 'string' },
    /** How many callers create payouts in it, each one at a time. */
    callers: { type: 'string', default: '8' },
    /** Without an endpoint for events. */
    'without-endpoint': { type: 'boolean', default: false },
    /** With what each function of the database takes. */
    functions: { type: 'boolean', default: false },
    /** So many requests that wait for a change, on one api process. */
    waiters: { type: 'string' },
    /** How soon events are sent, what an endpoint that hangs costs another, and what an endpoint costs payouts. */
    webhooks: { type: 'boolean', default: false },
    /** What an api process has of memory in the course of so many requests. */
    memory: { type: 'string' },
    /** The monthly run, over a month of so many partners with 10,000 payouts each. */
    invoices: { type: 'string' },
    /** Of another number of payouts each. */
    payouts: { type: 'string', default: '10000' },
    /** A clean day of so many payouts, compared with a bank's records. */
    reconcile: { type: 'string' },
    /** Of so many partners. */
    partners: { type: 'string', default: '10' },
    cluster: { type: 'string', default: 'bench' },
  },
});

const say = (text: string): void => console.error(text);
const report = (line: object): void => console.log(JSON.stringify(line));

const lengths = {
  whole: { partners: 200, rounds: 7, warmUpMs: 15_000, timing: { warmMs: 500, windowMs: 2_500 } },
  quick: { partners: 200, rounds: 3, warmUpMs: 3_000, timing: { warmMs: 150, windowMs: 700 } },
  trial: { partners: 10, rounds: 1, warmUpMs: 0, timing: { warmMs: 50, windowMs: 400 } },
};
/** Shorter slices and more of them: the interval narrows with the number of rounds. */
const againstLengths = {
  whole: { partners: 200, rounds: 20, warmUpMs: 5_000, timing: { warmMs: 250, windowMs: 1_500 } },
  quick: { partners: 200, rounds: 6, warmUpMs: 3_000, timing: { warmMs: 150, windowMs: 700 } },
  trial: { partners: 10, rounds: 1, warmUpMs: 0, timing: { warmMs: 50, windowMs: 400 } },
};
const webhookLengths = {
  whole: { seconds: 30, rounds: 8, warmMs: 4_000, windowMs: 6_000 },
  quick: { seconds: 10, rounds: 3, warmMs: 4_000, windowMs: 4_000 },
  trial: { seconds: 2, rounds: 1, warmMs: 4_000, windowMs: 1_000 },
};
const leastRounds = 20;
const usualLimit = 1.05;
/** From a change to the answer of a request that waits for it. */
const mostAnswerMs = 250;
const size = options.trial ? 'trial' : options.quick ? 'quick' : 'whole';
const length = lengths[size];

function refuseOptions(): never {
  console.error(
    'Say: npm run bench [-- --quick | --against COMMIT [--rounds NUMBER] [--limit RATIO] [--traces RATIO] | --reads | --loaded NUMBER | --curve | --life SECONDS [--callers NUMBER] [--without-endpoint] [--functions] | --waiters NUMBER | --webhooks | --memory REQUESTS | --invoices PARTNERS [--payouts EACH] | --reconcile PAYOUTS [--partners NUMBER]]',
  );
  process.exit(2);
}

function getCluster(): ClusterName {
  return clusterNames.find((name) => name === options.cluster) ?? refuseOptions();
}

async function runLoaded(server: BenchServer, payouts: number): Promise<void> {
  const { line, plan } = await compareLoaded(server, { ...length, payouts, say });
  report(line);
  for (const text of plan.plan) say(text);
  report({ name: 'get_plan', partitions_read: plan.partitionsRead, partitions: plan.partitions });
}

async function runAgainst(server: BenchServer, revision: string): Promise<void> {
  const lines = await compareAgainst(server, { ...againstLength, revision, traces: options.traces, say });
  for (const line of lines) report(line);
  for (const text of summarise(lines)) say(text);
  const above = findAbove(lines, limit ?? usualLimit);
  if (above.length === 0) say(`Every upper end of cpu_us and p50_ms is at most ${limit ?? usualLimit}.`);
  else say(`Above ${limit ?? usualLimit}: ${above.join(', ')}.`);
  if (limit !== undefined && above.length > 0) process.exitCode = 1;
}

async function runWaiters(server: BenchServer, number: number): Promise<void> {
  const line = await measureWaiters(server, { waiters: number, say });
  report(line);
  if (options.trial || line.max_ms <= mostAnswerMs) return;
  say(`The slowest answer took more than ${mostAnswerMs} ms.`);
  process.exitCode = 1;
}

async function runCurve(server: BenchServer): Promise<void> {
  const rounds = options.trial ? 1 : 3;
  const points = await measureCurve(server, { ...length, rounds, say });
  for (const point of points) report({ name: 'curve', ...point });
  if (!options.trial) writeFileSync(path.join(projectFolder, 'docs/performance.svg'), drawCurve(points));
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  return refuseOptions();
}

function ratio(text: string | undefined): number | undefined {
  if (text === undefined || /^\d(\.\d{1,4})?$/.test(text)) return text === undefined ? undefined : Number(text);
  return refuseOptions();
}

const lifeOptions = {
  connections: wholeNumber(options.callers) ?? refuseOptions(),
  withEndpoint: !options['without-endpoint'],
  withFunctions: options.functions,
};
const limit = ratio(options.limit);
const againstLength = { ...againstLengths[size], rounds: wholeNumber(options.rounds) ?? againstLengths[size].rounds };
if (size === 'whole' && againstLength.rounds < leastRounds) refuseOptions();
const [loaded, life] = [options.loaded, options.life].map(wholeNumber);
const [waiters, requests] = [options.waiters, options.memory].map(wholeNumber);
const [compared, partners = 10] = [wholeNumber(options.reconcile), wholeNumber(options.partners)];
const [billed, payoutsEach = 10_000] = [wholeNumber(options.invoices), wholeNumber(options.payouts)];

const server = await startBenchServer(getCluster());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.end().finally(() => process.exit(130)));
try {
  if (options.against !== undefined) await runAgainst(server, options.against);
  else if (loaded !== undefined) await runLoaded(server, loaded);
  else if (life !== undefined) report(await measureWholeLife(server, { seconds: life, ...lifeOptions, say }));
  else if (waiters !== undefined) await runWaiters(server, waiters);
  else if (requests !== undefined) for await (const line of measureMemory(server, { requests, say })) report(line);
  else if (billed !== undefined) report(await measureInvoices(server, { partners: billed, payoutsEach, say }));
  else if (compared !== undefined) report(await measureReconciliation(server, { payouts: compared, partners, say }));
  else if (options.webhooks)
    for await (const line of measureWebhooks(server, { ...webhookLengths[size], say })) report(line);
  else if (options.curve) await runCurve(server);
  else if (options.reads) for (const line of await compareReads(server, { ...length, say })) report(line);
  else for (const line of await compare(server, { ...length, say })) report(line);
} finally {
  await server.end();
}
