import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { eventually } from './eventually.ts';
import { removeCluster } from './postgres/cluster.ts';
import { textAt } from './json.ts';
import { projectFolder } from './project.ts';

// Below the ports that the system gives to outgoing connections: one of another test's could hold one of ours.
const firstPort = 26_000;
const readyWithinMs = 60_000;
const args = ['run', 'dev', '--', '--ports-from', String(firstPort), '--cluster', 'trial'];

after(async () => removeCluster('trial'));

async function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${firstPort}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  );
}

/** What it left for scripts, with how each of the two keys is answered. */
async function readCredentials(): Promise<{ found: unknown; statuses: number[] }> {
  const found: unknown = JSON.parse(readFileSync(`${projectFolder}/.dev/credentials-trial.json`, 'utf8'));
  const statuses = ['key', 'keyB'].map(async (name) => {
    const headers = { authorization: `Bearer ${textAt(found, name)}` };
    return (await fetch(`${textAt(found, 'url')}/v1/balance`, { headers })).status;
  });
  return { found, statuses: await Promise.all(statuses) };
}

let foundBefore: unknown;

/** The numbers of every process on this machine that was started with a word of ours in its environment. */
function findLeftovers(mark: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
      } catch {
        return false;
      }
    });
}

for (const time of ['the first', 'the second']) {
  test(`npm run dev is ready within 60 s ${time} time with the same two partners, and Ctrl-C leaves no process behind`, async (t) => {
    const mark = `KELPIE_TRIAL_MARK_${process.pid}`;
    const startedAt = performance.now();
    // A terminal's Ctrl-C reaches the whole process group: npm, its shell, and our program.
    const dev = spawn('npm', args, {
      cwd: projectFolder,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MARK: mark },
    });
    const closed = once(dev, 'close');
    t.after(async () => {
      // Where the test failed half way: its own clean-up, or the next one finds the ports taken.
      dev.kill('SIGINT');
      await closed;
    });
    let said = '';
    dev.stdout.on('data', (chunk) => (said += String(chunk)));
    await eventually(
      'it is ready',
      async () => {
        assert.equal(dev.exitCode, null, `it ended: ${said}`);
        return isReady();
      },
      readyWithinMs,
    );
    t.diagnostic(`ready after ${Math.round(performance.now() - startedAt)} ms`);
    assert(findLeftovers(mark).length >= 3, 'the mark does not find our processes');

    await eventually('two partners can pay', async () => said.includes('Kelpie is up.'), readyWithinMs);
    const { found, statuses } = await readCredentials();
    assert.deepEqual(statuses, [200, 200]);
    assert.notEqual(textAt(found, 'key'), textAt(found, 'keyB'));
    assert.match(textAt(found, 'slug'), /^acme-/);
    // What still serves is kept: a script that remembers a key goes on working.
    assert.deepEqual(found, foundBefore ?? found);
    foundBefore = found;

    assert(dev.pid !== undefined);
    process.kill(-dev.pid, 'SIGINT');
    await closed;
    assert.deepEqual(findLeftovers(mark), []);
    assert.equal(await isReady(), false);
  });
}
