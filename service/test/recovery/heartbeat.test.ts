import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readAnchor, writeAnchor } from '../../src/platform/heartbeat/anchor.ts';
import { raiseHeartbeat } from '../../src/platform/heartbeat/store.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { createPayoutDeps } from '../harness/payout-deps.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startRecoveryWorld } from './restoring.ts';

const world = await startRecoveryWorld();
const { anchorFile, database } = world;
const { calls } = createPayoutDeps(database, { provider_sandbox: null });

interface Standing {
  number: number;
  blocks: number;
}

async function readStanding(): Promise<Standing> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Standing>(
      `select number::int, (select count(*)::int from kelpie.payment_blocks where cause = 'recovery') as blocks
       from kelpie.heartbeat`,
    );
    const [row] = rows;
    assert(row !== undefined);
    return row;
  });
}

async function readNumber(): Promise<bigint> {
  const anchor = await readAnchor(anchorFile);
  assert(anchor.kind === 'read');
  return anchor.number;
}

test('the first heartbeat creates the anchor, and the two then name the same number', async () => {
  await eventually('an anchor', async () => existsSync(anchorFile));
  assert.equal(await readNumber(), BigInt((await readStanding()).number));
});

test('of workers that race, one raises the heartbeat', async () => {
  const { number } = await readStanding();
  const at = new Date(Date.now() + 60_000);
  const raised = await Promise.all(
    Array.from({ length: 20 }, async () => raiseHeartbeat(calls, { anchored: 0n, at, everyMs: 8_000 })),
  );
  assert.equal(raised.filter(({ outcome }) => outcome === 'raised').length, 1);
  assert.equal((await readStanding()).number, number + 1);
});

test('an anchor is whole or not there: what is not a number is not read as one', async () => {
  const file = `${anchorFile}.other`;
  assert.deepEqual(await readAnchor(file), { kind: 'missing' });
  await writeAnchor(file, 12n);
  assert.equal(readFileSync(file, 'utf8'), '12\n');
  assert.deepEqual(await readAnchor(file), { kind: 'read', number: 12n });
  for (const text of ['', '12', '-1\n', '1e3\n', 'twelve\n']) {
    writeFileSync(file, text);
    assert.deepEqual(await readAnchor(file), { kind: 'unreadable' }, text);
  }
  assert.deepEqual(await readAnchor('/dev/null/anchor'), { kind: 'unreadable' });
  rmSync(file);
});

test('faults 12: processes that run notice a database that is behind its anchor; sandbox stays open', async () => {
  const client = { url: world.api.url, key: world.partner.key };
  const body = payoutBody({ amount_gbp: '40.00' });
  assert.equal((await createPayout(client, body)).status, 201);
  await world.worker?.stop();
  const sandbox = await createSimulatedPartner(database);
  await writeAnchor(anchorFile, BigInt((await readStanding()).number) + 5n);
  // The api alone, without a restart.
  await eventually('closed', async () => (await readStanding()).blocks === 1, 20_000);
  const closed = await createPayout(client, body);
  assert.deepEqual([closed.status, closed.code], [502, 'payout_not_created'], closed.text);
  assert.equal(valueAt(closed.json, 'error.details.reason'), 'recovery');
  assert.equal((await createPayout({ ...client, key: sandbox.key }, payoutBody())).status, 201);
  assert.match(world.api.output(), /"level":"error".*"event":"recovery\.database_behind"/);
  const worker = await world.restartWorker();
  await eventually('the alarm', async () => worker.output().includes('recovery.database_behind'));
  const shown = await world.admin(['recovery', 'show', '--json']);
  assert.equal(valueAt(shown.data(), 'recovery.begun_by'), 'kelpie');
});

test('a database that is behind its anchor is not raised past it by itself', async () => {
  const before = await readStanding();
  await world.moveTime(60_000);
  const { outcome } = await raiseHeartbeat(calls, { anchored: await readNumber(), at: new Date(), everyMs: 0 });
  assert.equal(outcome, 'behind');
  assert.deepEqual(await readStanding(), before);
});

for (const file of ['api', 'worker'] as const) {
  test(`without its anchor the ${file} does not start, and says what to do`, async () => {
    const child = startChild({
      name: file,
      file: `service/src/app/${file}.ts`,
      env: {
        KELPIE_MODE: 'development',
        KELPIE_DATABASE_URL: database.serviceUrl,
        KELPIE_PUBLIC_URL: 'http://api.kelpie.test',
        KELPIE_API_PORT: '0',
        KELPIE_METRICS_PORT: '0',
        KELPIE_HEARTBEAT_ANCHOR: `${anchorFile}-${randomUUID()}`,
        ...testSecrets,
      },
    });
    assert.equal((await child.exited).code, 78, child.output());
    assert.match(child.output(), /KELPIE_HEARTBEAT_ANCHOR: .* cannot be read.*kelpie-admin recovery begin/);
  });
}

test('an operator closes live, and so creates an anchor that was lost', async () => {
  rmSync(anchorFile);
  const begun = await world.admin(['recovery', 'begin', '--reason', 'the anchor is lost', '--json']);
  assert.equal(begun.code, 0, begun.said);
  const { number, blocks } = await readStanding();
  assert.deepEqual([await readNumber(), blocks], [BigInt(number) + 1n, 1]);
});
