import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { startCluster } from '@kelpie/dev/postgres/cluster.ts';
import { beginAudit, urlsOf, prepareDatabase, type DatabaseUrls } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { checkoutId } from '@kelpie/dev/project.ts';
import { watchText } from './canaries/log-watch.ts';
import { sealPlantedRows } from './seal-planted-rows.ts';
import { testSecrets } from './secrets.ts';

export interface TestDatabase extends DatabaseUrls {
  /** As a superuser: for planting what no role of ours could do, and for looking past row security. */
  superuserUrl: string;
}

/** Checkouts that share a server by DATABASE_URL keep out of each other's way. */
const template = `kelpie_template_${checkoutId}`;
const clonePrefix = `kelpie_test_${checkoutId}_`;

/** Migrated once for the whole run; every test file then has a copy of its own in a fraction of a second. */
export async function prepareTemplate(adminUrl: string): Promise<void> {
  await dropClones(adminUrl);
  const urls = await prepareDatabase(adminUrl, { database: template, anew: true });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  await sealPlantedRows(urlFor(adminUrl, template), testSecrets.KELPIE_ROW_KEY);
}

/** What a run that was killed left behind. */
async function dropClones(adminUrl: string): Promise<void> {
  const { rows } = await asAdmin(adminUrl, async (client) =>
    client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [clonePrefix]),
  );
  for (const { datname } of rows) await dropDatabase(adminUrl, datname);
}

/** A migrated, empty database for one test file, dropped when the file is done. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl } = await startCluster('test');
  const name = `${clonePrefix}${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, async (client) =>
    client.query(`create database ${name} template ${template} owner kelpie_owner`),
  );
  const superuserUrl = urlFor(adminUrl, name);
  await beginSchedules(superuserUrl);
  after(async () => {
    await watchJobs(superuserUrl);
    await dropDatabase(adminUrl, name);
  });
  return { ...urlsOf(adminUrl, name), superuserUrl };
}

/** It is as new as it is: by the template's schedules, jobs would be late that no worker was there to do. */
async function beginSchedules(superuserUrl: string): Promise<void> {
  await asAdmin(superuserUrl, async (client) => client.query('update pgboss.schedule set created_on = now()'));
}

/** What jobs were given, and what the engine kept of their failures, is read by everyone who may see the queues. */
async function watchJobs(superuserUrl: string): Promise<void> {
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<{ name: string; said: string }>(
      `select name, concat(data, output) as said from pgboss.job where data is not null or output is not null limit 5000`,
    ),
  );
  for (const { name, said } of rows) watchText(said, `a job of the queue ${name}`);
}
