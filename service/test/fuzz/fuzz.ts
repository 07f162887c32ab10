// npm run fuzz -- [--requests N] [--seed N]: generated requests against a real api. It closes with a JSON line that says how
// many violations there were, and ends with exit code 1 where there was one. --repeat LINE sends one request again.
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { repeatRequest } from './repeat-request.ts';
import { runFuzz } from './run-fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    repeat: { type: 'string' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
if (!(requests > 0) || !Number.isSafeInteger(requests) || !Number.isSafeInteger(seed)) {
  console.error('--requests is a whole number above 0, and --seed a whole number.');
  process.exit(2);
}

const { adminUrl, startedHere } = await startCluster('test');
const name = `kelpie_fuzz_${process.pid}`;
const database = { ...(await prepareDatabase(adminUrl, { database: name })), superuserUrl: urlFor(adminUrl, name) };
const say = (text: string): void => console.error(text);
try {
  if (values.repeat === undefined) {
    say(`seed ${seed}, ${requests} requests`);
    const { violations, figures } = await runFuzz({ database, requests, seed, say });
    console.log(JSON.stringify({ seed, violations: violations.length, ...figures }, null, 2));
    process.exitCode = violations.length === 0 ? 0 : 1;
  } else {
    const fault = await repeatRequest(database, values.repeat, say);
    process.exitCode = fault === undefined ? 0 : 1;
  }
} finally {
  await dropDatabase(adminUrl, name);
  if (startedHere) await stopCluster('test');
}
