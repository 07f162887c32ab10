// npm run attack [-- --only NAME]: attacks on a running stack, one line each. It closes with a JSON line that says how many got
// through and how many invariants are broken, and ends with exit code 1 unless both are 0.
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { testSecrets } from '../harness/secrets.ts';
import { attacks } from './attacks.ts';
import { ensureDashboard } from './dashboard.ts';
import { runAttacks } from './run-attacks.ts';
import { startStage } from './stage.ts';

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const { only } = values;
const chosen = attacks.filter(({ name }) => only === undefined || only.includes(name));
if (chosen.length === 0 || (only !== undefined && chosen.length < only.length)) {
  console.error(`--only takes one of:\n${attacks.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}

ensureDashboard();
const { adminUrl, startedHere } = await startCluster('test');
const name = `kelpie_attack_${process.pid}`;
const urls = await prepareDatabase(adminUrl, { database: name });
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const ends: (() => Promise<unknown>)[] = [];
try {
  const database = { ...urls, superuserUrl: urlFor(adminUrl, name) };
  const stage = await startStage({ database, atEnd: (end) => void ends.push(end) });
  const result = await runAttacks(stage, chosen, (line) => console.log(line));
  console.log(JSON.stringify(result));
  process.exitCode = result.through === 0 && result.violations === 0 ? 0 : 1;
} finally {
  for (const end of ends.toReversed()) await end();
  await dropDatabase(adminUrl, name);
  if (startedHere) await stopCluster('test');
}
