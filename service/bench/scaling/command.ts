// npm run scaling [-- --measure PART]: writes the tables and charts of docs/scaling.md, or measures a part of what they stand on.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '@kelpie/dev/project.ts';
import { clusterNames } from '@kelpie/dev/postgres/cluster.ts';
import { startBenchServer, type BenchServer } from '../bench-server.ts';
import { measureArrivals } from './measure-arrivals.ts';
import { measureCommits } from './measure-commits.ts';
import { measureLives } from './measure-lives.ts';
import { measureNightly } from './measure-nightly.ts';
import { fillPage, renderPage } from './page.ts';

const { values: options } = parseArgs({
  options: {
    measure: { type: 'string' },
    /** Moments instead of minutes: it shows that it works, and keeps nothing. */
    trial: { type: 'boolean', default: false },
    cluster: { type: 'string', default: 'bench' },
  },
});

const say = (text: string): void => console.error(text);
const cluster = clusterNames.find((name) => name === options.cluster) ?? 'bench';
const { trial } = options;

async function* onServer(measure: (server: BenchServer) => AsyncGenerator<object>): AsyncGenerator<object> {
  const server = await startBenchServer(cluster);
  try {
    yield* measure(server);
  } finally {
    await server.end();
  }
}

async function* lives(): AsyncGenerator<object> {
  const runs = [
    { connections: 1, withFunctions: false },
    { connections: 16, withFunctions: false },
    { connections: 16, withFunctions: true },
  ];
  for (const run of runs) yield await measureLives({ cluster, seconds: trial ? 1 : 30, ...run, say });
}

const rates = trial ? [50] : [250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000];
const windows = trial ? { warmMs: 200, windowMs: 1_000 } : { warmMs: 2_000, windowMs: 8_000 };

const measurements: Readonly<Record<string, () => AsyncGenerator<object>>> = {
  commits: () => onServer((server) => measureCommits(server, { windowMs: trial ? 100 : 3_000, say })),
  arrivals: () => onServer((server) => measureArrivals(server, { rates, ...windows, say })),
  lives,
  nightly: () =>
    onServer(async function* (server) {
      yield await measureNightly(server, { payouts: trial ? 1_000 : 60_000, say });
    }),
};

const measuredFile = path.join(projectFolder, 'service/bench/scaling/measured.json');

/** With what it was measured on: a figure without that says nothing later. */
function keep(part: string, lines: readonly object[]): void {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: projectFolder }).toString().trim();
  const kept: unknown = JSON.parse(readFileSync(measuredFile, 'utf8'));
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(measuredFile, `${JSON.stringify({ ...Object(kept), [part]: { date, commit, lines } }, null, 2)}\n`);
}

async function measurePart(part: string): Promise<void> {
  const measure = measurements[part];
  if (measure === undefined) throw new Error(`Measure one of ${Object.keys(measurements).join(', ')}.`);
  const lines: object[] = [];
  for await (const line of measure()) {
    console.log(JSON.stringify(line));
    lines.push(line);
  }
  if (!trial) keep(part, lines);
}

/** Only here: while a part is measured, the figures may be incomplete. */
async function writePage(): Promise<void> {
  const { measured } = await import('./measured.ts');
  const page = renderPage(measured);
  const file = path.join(projectFolder, 'docs/scaling.md');
  writeFileSync(file, fillPage(readFileSync(file, 'utf8'), page));
  for (const [drawing, content] of Object.entries(page.drawings))
    writeFileSync(path.join(projectFolder, drawing), content);
}

if (options.measure === undefined) await writePage();
else await measurePart(options.measure);
