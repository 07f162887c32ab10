// npm run simulate -- NAME [--seconds N | --seeds N | --events N | --payouts N] [--seed N]: a long random run on real parts. It closes with a JSON line that says
// how many violations there were, and ends with exit code 1 where there was one.
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { simulateBilling } from './billing.ts';
import { simulateCaps } from './caps.ts';
import { simulateCells } from './cells.ts';
import { simulateEvents } from './events.ts';
import { simulateFunding } from './funding.ts';
import { simulateLedger } from './ledger.ts';
import { simulateOperators } from './operators.ts';
import { simulatePayouts } from './payouts.ts';
import type { Simulation } from './simulation.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    seeds: { type: 'string', default: '200' },
    events: { type: 'string', default: '1000' },
    payouts: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
const events = Number(values.events);
const payouts = Number(values.payouts);
const simulations: Readonly<Record<string, Simulation>> = {
  billing: simulateBilling,
  caps: simulateCaps,
  cells: simulateCells({ payouts }),
  events: simulateEvents(events),
  funding: simulateFunding,
  ledger: simulateLedger,
  operators: simulateOperators,
  payouts: simulatePayouts,
};

const [name = ''] = positionals;
const simulation = simulations[name];
if (simulation === undefined) {
  console.error(
    `Say which: npm run simulate -- ${Object.keys(simulations).join(' | ')} [--seconds N | --seeds N | --events N | --payouts N] [--seed N]`,
  );
  process.exit(2);
}

const seconds = Number(values.seconds);
const seeds = Number(values.seeds);
const seed = Number(values.seed);
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count > 0;
if (!(seconds > 0) || !isCount(seeds) || !isCount(events) || !isCount(payouts) || !Number.isSafeInteger(seed)) {
  console.error(
    '--seconds is a number above 0, --seeds, --events and --payouts whole ones above 0, and --seed a whole number.',
  );
  process.exit(2);
}
const { adminUrl, startedHere } = await startCluster('test');
const database = `kelpie_simulate_${process.pid}`;
const urls = await prepareDatabase(adminUrl, { database });
const say = (text: string): void => console.error(text);
/** These go by plans, one by events and one by payouts; the others by time. */
const byPlans = new Set(['funding', 'billing', 'operators']);
const lengths: Readonly<Record<string, Record<string, number>>> = { events: { events }, cells: { payouts } };
const length = lengths[name] ?? (byPlans.has(name) ? { seeds } : { seconds });
say(`${name}: seed ${seed}, ${JSON.stringify(length)}`);
try {
  const result = await simulation({
    database: { ...urls, superuserUrl: urlFor(adminUrl, database) },
    seconds,
    seeds,
    seed,
    say,
  });
  for (const violation of result.violations) say(`VIOLATION ${violation}`);
  const { violations, figures } = result;
  console.log(JSON.stringify({ simulation: name, seed, ...length, violations: violations.length, ...figures }));
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  await dropDatabase(adminUrl, database);
  if (startedHere) await stopCluster('test');
}
