import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { openShell, pathWithNode } from '../docs/shell-session.ts';
import { eventually } from '../eventually.ts';
import { findPort } from '../free-port.ts';
import { textAt, valueAt } from '../json.ts';
import { projectFolder } from '../project.ts';
import { deliverInDisorder, signedHeaders } from './deliveries.ts';
import { openTrial, statusesOf, type Environment, type Partner, type Program, type Trial } from './trial.ts';

let trial: Trial;
before(async () => (trial = await openTrial()));
after(async () => trial.close());

const patienceMs = 120_000;
const open = new Set<unknown>(['pending', 'processing']);

function order(number: number): object {
  return {
    amount_gbp: '2.00',
    reference: `Order ${number}`,
    recipient: {
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      // One in five fails.
      bank: {
        bank_name: 'Example Bank',
        sort_code: '040004',
        account_number: number % 5 === 0 ? '12340000' : '12345678',
      },
    },
  };
}

async function pay({ env }: Partner, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const answer = await fetch(`${env['KELPIE_BASE_URL']}/v1/payouts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${env['KELPIE_API_KEY']}`,
        'content-type': 'application/json',
        'idempotency-key': `example-order-${number}`,
      },
      body: JSON.stringify(order(number)),
    });
    assert.equal(answer.status, 201, await answer.text());
  }
}

async function untilFinal(partner: Partner, count: number): Promise<unknown[]> {
  return eventually(
    'all payouts are final',
    async () => {
      const payouts = await partner.list('/v1/payouts?limit=200');
      const isFinal = payouts.every((payout) => !open.has(valueAt(payout, 'status')));
      return payouts.length === count && isFinal ? payouts : undefined;
    },
    patienceMs,
  );
}

/** What the receiver has written down. */
function readStore(file: string): { sequences: unknown[]; statuses: Map<unknown, unknown> } {
  const db = new DatabaseSync(file, { readOnly: true });
  const sequences = db.prepare('select sequence from events order by 1').all();
  const payouts = db.prepare('select id, status from payouts').all();
  db.close();
  return { sequences: sequences.map((row) => row['sequence']), statuses: statusesOf(payouts) };
}

async function untilListening(program: Program): Promise<void> {
  await eventually('the receiver listens', async () => program.lines.includes('listening'), patienceMs);
}

interface Receiver {
  folder: string;
  command: readonly string[];
  env: Environment;
}

/** Kills it and starts it again, until the work is done. */
async function whileKilled({ folder, command, env }: Receiver, kills: number, work: Promise<void>): Promise<Program> {
  const ended = new AbortController();
  const done = work.finally(() => ended.abort());
  let program = trial.start(folder, command, env);
  await untilListening(program);
  for (let kill = 0; kill < kills && !ended.signal.aborted; kill += 1) {
    await wait(300 + 150 * kill);
    await program.kill();
    program = trial.start(folder, command, env);
    await untilListening(program);
  }
  await done;
  return program;
}

async function checkTypes(folder: string): Promise<void> {
  const tsc = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
  const options = '--noEmit --strict --skipLibCheck --target es2024 --module nodenext --allowImportingTsExtensions';
  const { problem } = await openShell(folder, { PATH: pathWithNode() }).run(`node '${tsc}' ${options} *.ts`);
  assert.equal(problem, undefined);
}

for (const framework of ['fastify', 'express']) {
  test(`the ${framework} receiver has every event of Kelpie once, though it is killed again and again`, async () => {
    const [folder, partner] = [await trial.install('webhook-receivers'), await trial.openPartner()];
    await checkTypes(folder);
    const port = await findPort();
    const webhook = await partner.ask('/v1/webhooks', { url: `http://127.0.0.1:${port}/hooks/kelpie` });
    const env = { ...partner.env, KELPIE_WEBHOOK_SECRET: textAt(webhook, 'secret'), PORT: String(port) };
    const receiver = { folder, command: ['node', `${framework}.ts`], env };
    const count = 40;
    const program = await whileKilled(receiver, 6, pay(partner, count));
    const payouts = await untilFinal(partner, count);
    // All of them once more.
    await partner.ask(`/v1/webhooks/${textAt(webhook, 'id')}/redeliver`, { after: 0 });
    await eventually(
      'the receiver has every event',
      async () => {
        const events = await partner.list('/v1/events?after=0&limit=200');
        const { sequences } = readStore(path.join(folder, 'webhooks.db'));
        return sequences.length === events.length;
      },
      patienceMs,
    );
    await program.kill();
    const events = await partner.list('/v1/events?after=0&limit=200');
    const { sequences, statuses } = readStore(path.join(folder, 'webhooks.db'));
    assert.deepEqual(
      sequences,
      events.map((event) => valueAt(event, 'sequence')),
    );
    assert.deepEqual(statuses, statusesOf(payouts));
  });
}

const receivers = [
  { name: 'fastify', example: 'webhook-receivers', command: ['node', 'fastify.ts'] },
  { name: 'express', example: 'webhook-receivers', command: ['node', 'express.ts'] },
  { name: 'Python', example: 'python', command: ['python3', 'receive.py'] },
];

for (const { name, example, command } of receivers) {
  test(`the ${name} receiver ends right when events arrive three times, in disorder and around kills`, async () => {
    const folder = await trial.install(example);
    const partner = await trial.openPartner();
    await pay(partner, 25);
    const payouts = await untilFinal(partner, 25);
    const events = (await partner.list('/v1/events?after=0&limit=200')).filter(
      (event): event is object => typeof event === 'object' && event !== null,
    );
    const port = await findPort();
    const secret = `whsec_${Buffer.from('a secret of the example!').toString('base64')}`;
    // Without the feed: it has nothing but what is posted.
    const env = {
      KELPIE_API_KEY: 'kp_sandbox_none',
      KELPIE_BASE_URL: 'http://127.0.0.1:1',
      KELPIE_WEBHOOK_SECRET: secret,
      PORT: String(port),
    };
    const address = `http://127.0.0.1:${port}/hooks/kelpie`;
    const program = await whileKilled({ folder, command, env }, 4, deliverInDisorder(address, events, secret));
    const forged = signedHeaders('none', '{}', `whsec_${Buffer.from('another secret').toString('base64')}`);
    assert.equal((await fetch(address, { method: 'POST', headers: forged, body: '{}' })).status, 400);
    await program.kill();
    const { sequences, statuses } = readStore(path.join(folder, 'webhooks.db'));
    assert.deepEqual(
      sequences,
      events.map((event) => valueAt(event, 'sequence')),
    );
    assert.deepEqual(statuses, statusesOf(payouts));
  });
}

test('payroll that is killed and started again pays each row once', async () => {
  const [folder, partner] = [await trial.install('payroll'), await trial.openPartner()];
  await checkTypes(folder);
  const file = path.join(folder, 'payroll.csv');
  const [header = '', first = ''] = readFileSync(file, 'utf8').split('\n');
  const rows = Array.from({ length: 60 }, (_, place) =>
    first.replace('E-001', `E-${place}`).replace('1250.00', '4.00'),
  );
  writeFileSync(file, [header, ...rows, ''].join('\n'));
  for (const printed of [5, 15, 30]) {
    const run = trial.start(folder, ['node', 'pay.ts', 'payroll.csv', '2026-11'], partner.env);
    await eventually(`${printed} rows are paid`, async () => run.lines.length >= printed, patienceMs);
    await run.kill();
  }
  const last = trial.start(folder, ['node', 'pay.ts', 'payroll.csv', '2026-11'], partner.env);
  assert.equal(await last.ended, 0, last.lines.join('\n'));
  const results = readFileSync(`${file}.results.csv`, 'utf8').trim().split('\n').slice(1);
  assert.equal(results.filter((line) => line.includes(',completed,')).length, 60);
  const payouts = await partner.list('/v1/payouts?limit=200');
  assert.equal(payouts.length, 60);
  assert.equal(new Set(payouts.map((payout) => valueAt(payout, 'reference'))).size, 60);
});

test('Python pays an order once, waits for it, and reports what Kelpie refuses', async () => {
  const [folder, partner] = [await trial.install('python'), await trial.openPartner()];
  const results: string[] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const run = trial.start(folder, ['python3', 'pay.py', '42'], partner.env);
    assert.equal(await run.ended, 0, run.lines.join('\n'));
    results.push(run.lines.join(' '));
  }
  assert.match(results[0] ?? '', / completed$/);
  assert.equal(results[0], results[1]);
  const wrong = trial.start(folder, ['python3', 'pay.py', '43'], { ...partner.env, KELPIE_API_KEY: 'kp_sandbox_none' });
  assert.equal(await wrong.ended, 1);
  assert.match(wrong.lines.join(' '), /unauthorized: .* \(request [0-9a-f-]{36}\)/);
});

const runtimes = [
  { install: '', command: ['node', 'pay.ts'] },
  { install: 'bun@1.4.4', command: ['node_modules/.bin/bun', 'pay.ts'] },
  { install: 'deno@2.9.6', command: ['node_modules/.bin/deno', 'run', '--allow-env', '--allow-net', 'pay.ts'] },
];

for (const { install, command } of runtimes) {
  test(`the SDK pays, verifies and reports errors in ${install || 'Node'}`, async () => {
    const [folder, partner] = [await trial.install('runtimes', install), await trial.openPartner()];
    const run = trial.start(folder, command, partner.env);
    assert.equal(await run.ended, 0, run.lines.join('\n'));
    assert.deepEqual(run.lines.slice(-3), ['payout completed', 'webhook true', 'error not_found']);
  });
}
