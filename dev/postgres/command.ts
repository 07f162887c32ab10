// npm run db:start, db:stop, db:reset.
import { ClusterError, removeCluster, startCluster, stopCluster } from './cluster.ts';
import { bankDatabases, prepareDatabase } from './prepare.ts';
import { dropDatabase } from './roles.ts';

const usesOwnServer = (process.env['DATABASE_URL'] ?? '') !== '';

async function start(): Promise<void> {
  const { adminUrl } = await startCluster('dev');
  const { ownerUrl } = await prepareDatabase(adminUrl);
  console.log(`PostgreSQL is up, with the database kelpie:\n  psql ${ownerUrl}`);
}

async function stop(): Promise<void> {
  if (usesOwnServer) console.log('DATABASE_URL is set, so your own server keeps running.');
  else console.log((await stopCluster('dev')) ? 'PostgreSQL is stopped.' : 'PostgreSQL was not running.');
}

async function reset(): Promise<void> {
  if (usesOwnServer) {
    const { adminUrl } = await startCluster('dev');
    for (const database of Object.values(bankDatabases)) await dropDatabase(adminUrl, database);
    await prepareDatabase(adminUrl, { anew: true });
  } else {
    await removeCluster('dev');
  }
  await start();
}

const commands = new Map([
  ['start', start],
  ['stop', stop],
  ['reset', reset],
]);

try {
  const command = process.argv.length === 3 ? commands.get(process.argv[2] ?? '') : undefined;
  if (command === undefined) throw new ClusterError(`Usage: command.ts ${[...commands.keys()].join('|')}`);
  await command();
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
