// npm run bench [-- --quick]: the api against bare PostgreSQL, which does the same without it. A JSON line for each measure
// on standard output; what goes on meanwhile on standard error. docs/performance.md says what the figures mean.
import { parseArgs } from 'node:util';
import { clusterNames } from '@kelpie/dev/postgres/cluster.ts';
import { startBenchServer } from './bench-database.ts';
import { compare } from './compare.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** A second and one round: shows that it works, and nothing else. */
    trial: { type: 'boolean', default: false },
    cluster: { type: 'string', default: 'bench' },
  },
});

const say = (text: string): void => console.error(text);

const lengths = {
  whole: { partners: 200, rounds: 7, timing: { warmMs: 700, windowMs: 3_200 } },
  quick: { partners: 200, rounds: 2, timing: { warmMs: 500, windowMs: 1_400 } },
  trial: { partners: 10, rounds: 1, timing: { warmMs: 100, windowMs: 500 } },
};
const length = options.trial ? lengths.trial : options.quick ? lengths.quick : lengths.whole;

const cluster = clusterNames.find((name) => name === options.cluster);
if (cluster === undefined) {
  console.error('Say: npm run bench [-- --quick]');
  process.exit(2);
}

const server = await startBenchServer(cluster);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.end().finally(() => process.exit(130)));
try {
  for (const line of await compare(server, { ...length, say })) console.log(JSON.stringify(line));
} finally {
  await server.end();
}
