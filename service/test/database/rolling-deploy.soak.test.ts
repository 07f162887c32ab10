import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '@kelpie/dev/project.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { startTraffic, type Traffic } from '../harness/traffic.ts';

// The next version changes the signature of create_payouts, by the rule in docs/database.md and against it, while the api of
// this version serves.

const own = path.join(projectFolder, 'service/database');

/** The database folder of a next version, in which create_payouts takes one array more. */
function nextVersion(how: 'previous kept' | 'previous dropped'): URL {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-next-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(own, folder, { recursive: true });
  const file = path.join(folder, 'functions/payouts/create_payouts.sql');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace('  partner_ids uuid[],\n', '  partner_ids uuid[],\n  notes text[],\n');
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
  if (how === 'previous kept') {
    const previous = path.join(folder, 'functions/payouts/previous');
    mkdirSync(previous, { recursive: true });
    writeFileSync(path.join(previous, 'create_payouts.sql'), text);
  } else {
    const sql = `do $$ begin execute (
      select 'set local role kelpie_payouts; drop function ' || p.oid::regprocedure from pg_proc p
      where p.proname = 'create_payouts' order by p.pronargs desc limit 1); end; $$; reset role`;
    const next = readdirSync(path.join(folder, 'migrations')).length + 1;
    writeFileSync(path.join(folder, 'migrations', `${String(next).padStart(4, '0')}_drop.sql`), sql);
  }
  return pathToFileURL(`${folder}/`);
}

/** Gives the traffic when it is over, and how many payouts there are then. */
async function deployUnderTraffic(
  how: 'previous kept' | 'previous dropped',
): Promise<{ traffic: Traffic; payouts: number }> {
  const database = await createTestDatabase();
  const partner = await createSimulatedPartner(database);
  const api = await startApi({ database });
  const traffic = startTraffic({ url: api.url, key: partner.key });
  after(async () => traffic.stop());
  await traffic.more(50);
  const options = { ownerUrl: database.ownerUrl, now: new Date(), logger: createLogger('test', 'silent') };
  const { applied } = await migrate({ ...options, folder: nextVersion(how) });
  assert(applied.includes('payouts/create_payouts'));
  await traffic.more(100);
  // A process of the version before that starts now is ready, too.
  const late = await startApi({ database });
  assert.equal((await fetch(`${late.url}/readyz`)).status, 200);
  traffic.add({ url: late.url, key: partner.key });
  await traffic.more(100);
  await traffic.stop();
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ made: string }>('select count(*) as made from kelpie.payouts'),
  );
  return { traffic, payouts: Number(rows[0]?.made) };
}

test('faults 39, 40: the api of this version serves without an error while the next one changes a signature', async () => {
  const { traffic, payouts } = await deployUnderTraffic('previous kept');
  assert.deepEqual(traffic.errors(), []);
  assert.equal(traffic.created(), payouts);
  assert(traffic.created() >= 250);
});

test('a signature that is dropped while it is still called shows as errors', async () => {
  const { traffic } = await deployUnderTraffic('previous dropped');
  assert.notDeepEqual(traffic.errors(), []);
});
