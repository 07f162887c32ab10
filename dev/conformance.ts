// npm run conformance: holds the whole of Kelpie, on a bank and a database of its own, to the specification from outside.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startChild, type Child } from './child-process.ts';
import { eventually } from './eventually.ts';
import { textAt, valueAt } from './json.ts';
import { removeCluster } from './postgres/cluster.ts';
import { projectFolder } from './project.ts';

const { values: options } = parseArgs({
  options: {
    /** The checks, as a program that is told by its environment where the API is. */
    script: { type: 'string', default: path.join(projectFolder, '..', 'shared', 'conformance.mjs') },
  },
});

const cluster = 'conformance';
// Below the ports that the system gives to outgoing connections, and not those of `npm run dev` or of its test.
const firstPort = 27_000;
const credentialsFile = path.join(projectFolder, '.dev', `credentials-${cluster}.json`);
const upWithinMs = 120_000;
const checkedWithinMs = 300_000;

/** Ctrl-C ends what was started, too: a server that is left behind would be nobody's. */
const brokenOff = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => brokenOff.abort());

/** Until it says that it is up. */
async function waitForStack(stack: Child): Promise<void> {
  let ended = false;
  void stack.exited.then(() => (ended = true));
  const look = async (): Promise<boolean> => {
    brokenOff.signal.throwIfAborted();
    if (ended) throw new Error(`the stack ended:\n${stack.output()}`);
    return stack.output().includes('Kelpie is up.');
  };
  await eventually('the stack is up', look, upWithinMs);
}

async function runScript(found: unknown): Promise<number> {
  const script = spawn(process.execPath, [options.script], {
    stdio: 'inherit',
    timeout: checkedWithinMs,
    signal: brokenOff.signal,
    env: {
      ...process.env,
      KELPIE_URL: textAt(found, 'url'),
      KELPIE_KEY: textAt(found, 'key'),
      KELPIE_KEY_B: textAt(found, 'keyB'),
      KELPIE_SLUG: textAt(found, 'slug'),
    },
  });
  return new Promise((resolve, reject) => {
    script.on('error', reject);
    script.on('close', (code) => resolve(code ?? 1));
  });
}

/** The checks say nothing of the rail: on the simulated one they would not have met the bank. */
async function isAtBank(found: unknown): Promise<boolean> {
  const headers = { authorization: `Bearer ${textAt(found, 'key')}` };
  const response = await fetch(`${textAt(found, 'url')}/v1/account`, { headers });
  const rail = valueAt(await response.json(), 'rail');
  const isRight = rail === 'provider_sandbox';
  console.log(
    isRight
      ? 'ok   the account is on the rail provider_sandbox'
      : `FAIL the account is on the rail provider_sandbox — GET /v1/account: status ${response.status}, rail ${String(rail)}`,
  );
  return isRight;
}

/** On a stack of its own, of which nothing is left afterwards. */
async function check(): Promise<number> {
  await removeCluster(cluster);
  const args = ['--ports-from', String(firstPort), '--cluster', cluster];
  const stack = startChild({ name: 'npm run dev', file: 'dev/up.ts', args, env: {} });
  try {
    await waitForStack(stack);
    const found: unknown = JSON.parse(await readFile(credentialsFile, 'utf8'));
    const code = await runScript(found);
    const isRight = await isAtBank(found);
    return code === 0 && !isRight ? 1 : code;
  } finally {
    await stack.stop();
    await removeCluster(cluster);
  }
}

if (!existsSync(options.script)) {
  console.log(`There is no ${path.relative(projectFolder, options.script)}, so nothing was checked.`);
} else {
  try {
    process.exitCode = await check();
  } catch (error) {
    if (!brokenOff.signal.aborted) throw error;
    console.error('Broken off.');
    process.exitCode = 130;
  }
}
