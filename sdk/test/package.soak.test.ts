import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { valueAt } from '@kelpie/dev/json.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { packSdk } from '@kelpie/dev/sdk/pack.ts';
import { apiKey, payout } from './examples.ts';
import { startStandInApi, type StandInApi } from './stand-in-api.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-sdk-'));
after(() => rmSync(folder, { recursive: true }));

/** A program of a partner's, which knows nothing of this repository. */
const program = `
import { createKelpie, KelpieError, KelpieUnreachable } from '@kelpie/sdk';
import type { CreatePayoutRequest, Kelpie, Page, Payout } from '@kelpie/sdk';

declare const process: { argv: string[] };

const [, , baseUrl = '', apiKey = ''] = process.argv;
const kelpie: Kelpie = createKelpie({ baseUrl, apiKey });
const order: CreatePayoutRequest = {
  amount_gbp: '25.00',
  recipient: {
    first_name: 'Ada',
    last_name: 'Byron',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  },
};
const { payout, replayed } = await kelpie.payouts.create(order, { idempotencyKey: 'order-42' });
const amount: string | undefined = payout.quote?.fee_gbp;
const page: Page<Payout> = await kelpie.payouts.list({ limit: 1 });
const ids: string[] = [];
for await (const { id } of kelpie.payouts.listAll()) ids.push(id);
let refused = '';
try {
  await kelpie.payouts.get('none');
} catch (error) {
  if (error instanceof KelpieUnreachable) throw error;
  if (error instanceof KelpieError && error.code === 'not_found') refused = \`\${error.status} \${error.code}\`;
}
console.log(JSON.stringify({ status: payout.status, replayed, amount, page, ids, refused }));
`;

/** Each line is a mistake that a partner shall not be able to make. */
const mistakes = `
import { createKelpie, type CreatePayoutRequest } from '@kelpie/sdk';
declare const order: CreatePayoutRequest;
const kelpie = createKelpie({ baseUrl: 'https://api.example.com', apiKey: 'kp_sandbox_' });
await kelpie.payouts.create(order);
await kelpie.payouts.create(order, {});
await kelpie.payouts.create({ ...order, amount_gbp: 25 }, { idempotencyKey: 'order-42' });
await kelpie.payouts.list({ limit: '1' });
(await kelpie.payouts.get('id')).status === 'paid';
createKelpie({ baseUrl: 'https://api.example.com', retries: '0' });
createKelpie({ baseUrl: 'https://api.example.com', apiKey: 'kp_sandbox_', environment: 'live' });
`;

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.asynciterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  // The package's own types are checked too.
  skipLibCheck: false,
};

/** The line of each complaint about a file, by the project's own compiler. */
async function compile(file: string): Promise<number[]> {
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const compiler = path.join(projectFolder, 'node_modules/.bin/tsc');
  const said = await run(compiler, ['-p', folder, '--pretty', 'false']).then(
    () => '',
    (error: unknown) => String(valueAt(error, 'stdout')),
  );
  const complaints = said.split('\n').filter((line) => line.includes('error TS'));
  return complaints.map((line) => Number(new RegExp(`^.*${file}\\((\\d+),`).exec(line)?.[1] ?? assert.fail(line)));
}

const tarball = await packSdk(folder);
writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
const installed = path.join(folder, 'node_modules/@kelpie/sdk');

test('the package holds what is built and nothing else, and needs no other package', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)));
  const expected =
    /^(dist\/[\w-]+\.(js|cjs|d\.ts|d\.cts)|dist\/cli\/(main\.js|LICENSES)|LICENSE|(README|CHANGELOG)\.md|package\.json)$/;
  assert.deepEqual(
    files.filter((file) => !expected.test(file)),
    [],
  );
  for (const entry of ['index', 'testing'])
    for (const end of ['js', 'cjs', 'd.ts', 'd.cts']) assert(files.includes(`dist/${entry}.${end}`), `${entry}.${end}`);
  assert.match(readFileSync(path.join(installed, 'LICENSE'), 'utf8'), /^MIT License/);
  const manifest: unknown = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  assert.equal(valueAt(manifest, 'dependencies'), undefined);
  assert.deepEqual(
    readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@kelpie'],
  );
});

/** Payouts are taken, and no other is known. */
function answerPayouts({ answer }: StandInApi): void {
  answer(({ method, path: asked }) => {
    if (method === 'POST') return { status: 201, json: payout };
    if (asked === '/v1/payouts') return { json: { object: 'list', data: [payout] } };
    if (asked === `/v1/payouts/${payout.id}`) return { json: { ...payout, status: 'completed' } };
    if (asked === '/v1/balance' || asked === '/v1/statement') return { json: {} };
    return { status: 404, json: { error: { code: 'not_found', message: 'There is nothing at this address.' } } };
  });
}

test('the installed package compiles in a strict program, and runs', async () => {
  const api = await startStandInApi();
  answerPayouts(api);
  writeFileSync(path.join(folder, 'program.ts'), program);
  assert.deepEqual(await compile('program.ts'), []);
  const { stdout } = await run(process.execPath, [path.join(folder, 'program.js'), api.url, apiKey]);
  assert.deepEqual(JSON.parse(stdout), {
    status: 'processing',
    replayed: false,
    page: { data: [payout] },
    ids: [payout.id],
    refused: '404 not_found',
  });
});

test('what must not be forgotten or mistaken does not compile: a key, an amount, a status, who is asking', async () => {
  writeFileSync(path.join(folder, 'mistakes.ts'), mistakes);
  assert.deepEqual(await compile('mistakes.ts'), [5, 6, 7, 8, 9, 10, 11]);
});

test('the examples of the README compile and run, one after the other', async () => {
  const api = await startStandInApi();
  answerPayouts(api);
  const readme = readFileSync(path.join(installed, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example]) => example);
  const node = 'declare const process: { env: Record<string, string | undefined> };';
  writeFileSync(path.join(folder, 'readme.ts'), [node, ...examples].join('\n'));
  assert.deepEqual(await compile('readme.ts'), []);
  const env = { ...process.env, KELPIE_BASE_URL: api.url, KELPIE_API_KEY: apiKey };
  const { stdout } = await run(process.execPath, [path.join(folder, 'readme.js')], { env });
  assert.equal(stdout.split('\n')[0], `${payout.id} completed null`);
  assert.match(stdout, /^payout\.failed 43$/m);
  assert(examples.length >= 6 && api.asked.length >= 6);
});
