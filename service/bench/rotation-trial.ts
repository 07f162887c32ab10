// npm run rotation:trial [-- --payouts 200000]: changes the data key of a database with so many recipients under traffic. Each api
// is restarted as a deploy would, beside its successor. Recipients are read before and after. The last line is JSON.
import { parseArgs } from 'node:util';
import { valueAt } from '@kelpie/dev/json.ts';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { encryptRecipient } from '../src/payouts/records/encrypted-recipient.ts';
import { createEncryptor } from '../src/platform/encryption.ts';
import { kelpieAdmin } from '../test/app/commands/kelpie-admin.ts';
import { recipient } from '../test/app/encryption-keys/planted-values.ts';
import type { Client } from '../test/harness/client.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { createSimulatedPartner, depositToEach } from '../test/harness/partners.ts';
import { callAs, signIn, type Person } from '../test/harness/people.ts';
import { startApi, type ApiProcess } from '../test/harness/processes.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import { loadPayouts } from './load-payouts.ts';
import { startTraffic } from './payout-traffic.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({ options: { payouts: { type: 'string', default: '200000' } } });
const payouts = Number(values.payouts);
if (!Number.isSafeInteger(payouts) || payouts < 1) {
  console.error('Say how many: npm run rotation:trial -- --payouts NUMBER');
  process.exit(2);
}

const name = 'kelpie_rotation_trial';
const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const keys = (...versions: readonly [number, Buffer][]) => ({
  KELPIE_DATA_KEYS: versions.map(([version, key]) => `${version}:${key.toString('hex')}`).join(','),
});
const [onlyOld, oldFirst, newFirst, onlyNew] = [
  keys([1, oldKey]),
  keys([1, oldKey], [2, newKey]),
  keys([2, newKey], [1, oldKey]),
  keys([2, newKey]),
];
const say = (text: string): void => console.error(text);
/** For the payouts of the traffic, however long the trial takes. */
const enoughMicroUsdc = 1_000_000_000_000n;

/** What was loaded gets recipients that can be read. */
async function encryptLoaded(database: TestDatabase): Promise<void> {
  const encryptor = createEncryptor(new Map([[1, oldKey]]));
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const { rows } = await client.query<{ id: string }>(
        'select id from kelpie.payouts where id > $1 order by id limit 5000',
        [after],
      );
      const ids = rows.map(({ id }) => id);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
      await client.query(
        `update kelpie.payouts p set recipient_encrypted = item.encrypted
         from unnest($1::uuid[], $2::bytea[]) as item (id, encrypted) where p.id = item.id`,
        [ids, ids.map((id) => encryptRecipient(encryptor, id, recipient))],
      );
    }
  });
}

interface Sampled {
  admin: Person;
  id: string;
}

/** A payout of each partner, and an admin who may read its recipient. */
async function chooseSample(database: TestDatabase, url: string): Promise<Sampled[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ partner_id: string; id: string }>(
      `select distinct on (partner_id) partner_id, id from kelpie.payouts order by partner_id, md5(id::text)`,
    ),
  );
  const sampled: Sampled[] = [];
  for (const { partner_id: partnerId, id } of rows)
    sampled.push({ id, admin: await signIn(database, { partnerId }, { url }) });
  return sampled;
}

async function readSample(url: string, sample: readonly Sampled[]): Promise<string[]> {
  const answers: string[] = [];
  for (const { admin, id } of sample) {
    const { status, text } = await callAs({ ...admin, url }, `/v1/payouts/${id}/recipient`);
    answers.push(`${status} ${text}`);
  }
  return answers;
}

async function underOldKey(database: TestDatabase): Promise<number> {
  const status = await kelpieAdmin(database, ['encryption-keys', 'status', '--json'], onlyNew);
  return Number(valueAt(status.data(), 'old'));
}

const { adminUrl, startedHere } = await startCluster('bench');
const endings: (() => Promise<unknown>)[] = [];
try {
  const urls = await prepareDatabase(adminUrl, { database: name, anew: true });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  endings.push(async () => dropDatabase(adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(adminUrl, name) };
  await loadPayouts(database, { payouts, partners: 200, onProgress: createProgress(payouts, say) });
  say('Encrypting their recipients');
  await encryptLoaded(database);
  const start = async (env: Readonly<Record<string, string>>): Promise<ApiProcess> =>
    startApi({ database, env, atEnd: (end) => void endings.push(end) });
  const payer = await createSimulatedPartner(database);
  await depositToEach(database, [payer], enoughMicroUsdc);
  let api = await start(onlyOld);
  const sample = await chooseSample(database, api.url);
  const before = await readSample(api.url, sample);
  const traffic = startTraffic((): Client => ({ url: api.url, key: payer.key }));
  const replaceApi = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const old = api;
    api = await start(env);
    await old.stop();
  };
  await replaceApi(oldFirst);
  await replaceApi(newFirst);
  say('kelpie-admin encryption-keys rotate');
  const startedAt = performance.now();
  const why = ['--reason', 'a trial', '--json'];
  const rotated = await kelpieAdmin(database, ['encryption-keys', 'rotate', ...why], newFirst);
  if (rotated.code !== 0) throw new Error(rotated.said);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  await replaceApi(onlyNew);
  const after = await readSample(api.url, sample);
  const differences = before.filter((text, at) => text !== after[at] || !text.startsWith('200 ')).length;
  const { created, refused, longestMs } = await traffic.stop();
  const old = await underOldKey(database);
  console.log(
    JSON.stringify({
      recipients: payouts,
      replaced: Number(valueAt(rotated.data(), 'replaced')),
      seconds,
      under_old_key: old,
      read_again: before.length,
      differences,
      traffic: { created, refused, longest_ms: longestMs },
    }),
  );
  process.exitCode = old + differences + Object.keys(refused).length === 0 ? 0 : 1;
} finally {
  for (const end of endings.toReversed()) await end();
  if (startedHere) await stopCluster('bench');
}
