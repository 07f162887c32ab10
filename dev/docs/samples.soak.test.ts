import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { startChild } from '../child-process.ts';
import { eventually } from '../eventually.ts';
import { listAt, textAt } from '../json.ts';
import { removeCluster, startCluster } from '../postgres/cluster.ts';
import { asAdmin } from '../postgres/roles.ts';
import { projectFolder } from '../project.ts';
import { isPartnerPage } from './blocks.ts';
import { listPages, samplesOf } from './pages.ts';
import { openShell } from './shell-session.ts';

// Below the ports that the system gives to outgoing connections, and not those of another test.
const firstPort = 26_100;
const url = `http://127.0.0.1:${firstPort}`;
const upWithinMs = 120_000;

/** Where a reader would be: a folder with what `npm run dev` leaves for scripts. */
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-docs-'));
/** Those for partners have their own command: npm run docs:test. */
const samples = listPages()
  .filter((page) => !isPartnerPage(page))
  .flatMap(samplesOf);
const stack = startChild({
  name: 'npm run dev',
  file: 'dev/up.ts',
  args: ['--ports-from', String(firstPort), '--cluster', 'trial', '--built'],
  env: {},
});

before(async () => {
  await eventually('the stack is up', async () => stack.output().includes('Kelpie is up.'), upWithinMs);
  mkdirSync(path.join(folder, '.dev'));
  cpSync(path.join(projectFolder, '.dev/credentials-trial.json'), path.join(folder, '.dev/credentials.json'));
});
after(async () => {
  await stack.stop();
  await removeCluster('trial');
  rmSync(folder, { recursive: true });
});

async function sandboxKey(): Promise<string> {
  return import(path.join(folder, '.dev/credentials.json'), { with: { type: 'json' } }).then(
    ({ default: found }: { default: unknown }) => textAt(found, 'key'),
  );
}

const files = samples.filter(({ language, mode }) => language === 'sh' && mode === 'run').map(({ file }) => file);

for (const file of new Set(files)) {
  test(`the samples of ${file} run, one after the other`, async () => {
    const script = samples
      .filter((sample) => sample.file === file && sample.mode === 'run' && sample.language === 'sh')
      .map(({ code }) => code.replaceAll('http://127.0.0.1:4000', url))
      .join('\n');
    // It ends with the first command that fails; curl fails where it is refused.
    const shell = openShell(folder, {
      PATH: process.env['PATH'] ?? '',
      KELPIE_BASE_URL: url,
      KELPIE_API_KEY: await sandboxKey(),
    });
    const { problem } = await shell.run(script);
    shell.close();
    assert.equal(problem, undefined);
  });
}

test('the payout of the README completes', async () => {
  const key = await sandboxKey();
  await eventually('it is completed', async () => {
    const answer = await fetch(`${url}/v1/payouts?reference=Order%2042`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const [payout] = listAt(await answer.json(), 'data');
    return textAt(payout, 'status') === 'completed';
  });
});

test('the roles and the database of docs/database.md can be created as it says', async () => {
  const { adminUrl } = await startCluster('trial');
  // The stack has the roles themselves already.
  const [statements = ''] = samples
    .filter(({ language, mode }) => language === 'sql' && mode === 'run')
    .map(({ code }) => code.replaceAll('kelpie_', 'sample_').replaceAll(' kelpie ', ' sample '));
  await asAdmin(adminUrl, async (client) => {
    for (const statement of statements.trim().split('\n')) await client.query(statement);
    const { rows } = await client.query<{ rolname: string }>(
      `select rolname from pg_roles where rolname like 'sample%' order by 1`,
    );
    assert.equal(rows.length, 7);
    await client.query('drop database sample');
  });
});
