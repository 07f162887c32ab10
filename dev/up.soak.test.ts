import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { programFor } from './built-programs.ts';
import { eventually } from './eventually.ts';
import { removeCluster } from './postgres/cluster.ts';
import { listAt, textAt } from './json.ts';
import { projectFolder } from './project.ts';

// Below the ports that the system gives to outgoing connections, so that no other test holds one of ours.
const firstPort = 26_000;
const readyWithinMs = 60_000;
const args = ['run', 'dev', '--', '--ports-from', String(firstPort), '--cluster', 'trial'];
const mark = `KELPIE_TRIAL_MARK_${process.pid}`;

after(async () => removeCluster('trial'));

async function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${firstPort}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  );
}

function startDev(t: TestContext) {
  // In a process group of its own, as a terminal would start it.
  const dev = spawn('npm', args, { cwd: projectFolder, detached: true, env: { ...process.env, MARK: mark } });
  const closed = once(dev, 'close');
  const { pid } = dev;
  assert(pid !== undefined);
  let said = '';
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  t.after(async () => {
    // If the test failed half way, the next one would find the ports taken.
    dev.kill('SIGINT');
    await closed;
  });
  const untilUp = async (): Promise<void> => {
    await eventually(
      'it is up',
      async () => {
        assert.equal(dev.exitCode, null, `it ended: ${said}`);
        return said.includes('Kelpie is up.');
      },
      readyWithinMs,
    );
    assert(await isReady());
  };
  return { pid, closed, said: () => said, untilUp, kill: (signal: NodeJS.Signals) => dev.kill(signal) };
}

function readCredentials(): unknown {
  return JSON.parse(readFileSync(`${projectFolder}/.dev/credentials-trial.json`, 'utf8'));
}

async function balanceStatus(found: unknown, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${textAt(found, name)}` };
  return (await fetch(`${textAt(found, 'url')}/v1/balance`, { headers })).status;
}

/** Asks for a code, reads it in the inbox and signs in. Returns the role. */
async function signIn(found: unknown, email: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Response> => {
    const { origin } = new URL(textAt(found, 'dashboardUrl'));
    const headers = { 'content-type': 'application/json', origin };
    return fetch(`${textAt(found, 'url')}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const readMails = async (): Promise<unknown[]> => {
    const mails: unknown = await (await fetch(`${textAt(found, 'mailUrl')}/mails`)).json();
    // A sign-in from a new browser is emailed too, after its code.
    const coded = listAt({ mails }, 'mails').filter((mail) => textAt(mail, 'subject').endsWith('code'));
    return coded.filter((mail) => listAt(mail, 'to').includes(email));
  };
  const before = (await readMails()).length;
  assert.equal((await post('/v1/auth/code', { email })).status, 202);
  const newest = await eventually('the code is in the inbox', async () => {
    const mails = await readMails();
    return mails.length > before && mails[0];
  });
  const [code = ''] = /\b\d{6}\b/.exec(textAt(newest, 'text')) ?? [];
  const session = await post('/v1/auth/session', { email, code });
  assert.equal(session.status, 200);
  return textAt(await session.json(), 'role');
}

/** The ids of processes that were started with our mark in their environment. */
function findLeftovers(): string[] {
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

test('npm run dev starts within 60 s, people can sign in, and one started while it stops waits for it', async (t) => {
  const startedAt = performance.now();
  const first = startDev(t);
  await first.untilUp();
  t.diagnostic(`the first start took ${Math.round(performance.now() - startedAt)} ms`);
  assert(findLeftovers().length >= 3, 'the mark does not find our processes');
  const found = readCredentials();
  assert.deepEqual([await balanceStatus(found, 'key'), await balanceStatus(found, 'keyB')], [200, 200]);
  assert.notEqual(textAt(found, 'key'), textAt(found, 'keyB'));
  assert.match(textAt(found, 'slug'), /^acme-/);
  assert.equal(await signIn(found, textAt(found, 'adminEmail')), 'admin');
  assert.equal(await signIn(found, textAt(found, 'viewerEmail')), 'viewer');

  const beside = startDev(t);
  await beside.closed;
  assert.match(beside.said(), /Kelpie is already running \(pid \d+\)\. .*--ports-from 27000 --cluster second/);

  // A worker that is frozen can't stop, so the first is still stopping however slowly the second starts.
  const worker = findLeftovers().find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(programFor('service/src/app/worker.ts')),
  );
  assert(worker !== undefined);
  process.kill(Number(worker), 'SIGSTOP');
  // A terminal's Ctrl-C reaches the whole process group: npm and our program.
  process.kill(-first.pid, 'SIGINT');
  const second = startDev(t);
  await eventually('it waits', async () =>
    /Another npm run dev \(pid \d+\) is still stopping\. Waiting for it…/.test(second.said()),
  );
  process.kill(Number(worker), 'SIGCONT');
  await first.closed;
  await second.untilUp();
  assert.doesNotMatch(second.said(), /^\s+at /m);
  // Scripts that remember a key continue to work.
  assert.deepEqual(readCredentials(), found);

  second.kill('SIGTERM');
  await second.closed;
  assert.deepEqual(findLeftovers(), [], 'SIGTERM to npm alone ends everything');
  assert.equal(await isReady(), false);
});

test('npm run dev ends everything when npm is killed and can forward no signal', async (t) => {
  const dev = startDev(t);
  await dev.untilUp();
  process.kill(dev.pid, 'SIGKILL');
  await dev.closed;
  await eventually('nothing is left', async () => findLeftovers().length === 0);
  assert.equal(await isReady(), false);
});

test('a port that another program uses is named, with the option that chooses others', async (t) => {
  const other = createServer().listen(firstPort, '127.0.0.1');
  await once(other, 'listening');
  const dev = startDev(t);
  await dev.closed;
  other.close();
  assert.match(dev.said(), /Port 26000 \(api\) is in use\. .*npm run dev -- --ports-from 27000/);
  assert.doesNotMatch(dev.said(), /^\s+at /m);
  assert.deepEqual(findLeftovers(), []);
});
