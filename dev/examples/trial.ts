import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../child-process.ts';
import { openShell, pathWithNode } from '../docs/shell-session.ts';
import { addressesIn, signUpForKey, untilAtBank } from '../docs/sign-up.ts';
import { eventually } from '../eventually.ts';
import { listAt, valueAt } from '../json.ts';
import { removeCluster } from '../postgres/cluster.ts';
import { projectFolder } from '../project.ts';
import { packSdk } from '../sdk/pack.ts';
import { startRegistry } from '../sdk/registry.ts';

// Below the ports that the system gives to outgoing connections, and not those of another test.
const firstPort = 26_500;
const upWithinMs = 120_000;

export type Environment = Readonly<Record<string, string>>;

/** A program of an example, as a partner would run it. */
export interface Program {
  /** What it has printed, line by line. */
  lines: string[];
  kill(): Promise<void>;
  /** Its exit code. */
  ended: Promise<number | null>;
}

/** A partner with a key of its own. */
export interface Partner {
  env: Environment;
  /** An answer of the API, as JSON. */
  ask(address: string, body?: object): Promise<unknown>;
  /** Everything in a list, page by page. */
  list(address: string): Promise<unknown[]>;
}

export interface Trial {
  /** Copies an example to an empty folder, and installs what it asks for; the SDK as it is packed. */
  install(name: string, more?: string): Promise<string>;
  openPartner(): Promise<Partner>;
  start(folder: string, command: readonly string[], env: Environment): Program;
  close(): Promise<void>;
}

function startProgram(folder: string, [file = '', ...args]: readonly string[], env: Environment): Program {
  const child = spawn(file, args, { cwd: folder, env: { PATH: pathWithNode(), HOME: folder, ...env } });
  const lines: string[] = [];
  let rest = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      const pieces = `${rest}${chunk.toString()}`.split('\n');
      rest = pieces.pop() ?? '';
      lines.push(...pieces);
    });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return {
    lines,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function partnerWith(url: string, key: string): Partner {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask: Partner['ask'] = async (address, body) => {
    const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url + address, init);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    env: { KELPIE_API_KEY: key, KELPIE_BASE_URL: url },
    ask,
    async list(address) {
      const found: unknown[] = [];
      let next: string | undefined = url + address;
      while (next !== undefined) {
        const answer: Response = await fetch(next, { headers });
        found.push(...listAt(await answer.json(), 'data'));
        next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      }
      return found;
    },
  };
}

function inherited(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A whole Kelpie, the packed SDK in a registry, and an empty folder. */
export async function openTrial(): Promise<Trial> {
  const work = mkdtempSync(path.join(tmpdir(), 'kelpie-examples-'));
  await removeCluster('docs');
  const args = ['--ports-from', String(firstPort), '--cluster', 'docs', '--built'];
  const stack = startChild({ name: 'npm run dev', file: 'dev/up.ts', args, env: {} });
  const registry = await startRegistry(await packSdk(work));
  await eventually('the stack is up', async () => stack.output().includes('Kelpie is up.'), upWithinMs);
  const found: unknown = JSON.parse(readFileSync(path.join(projectFolder, '.dev/credentials-docs.json'), 'utf8'));
  const addresses = addressesIn(found);
  const programs: Program[] = [];
  return {
    async install(name, more = '') {
      const folder = mkdtempSync(path.join(work, `${name}-`));
      cpSync(path.join(projectFolder, 'examples', name), folder, { recursive: true });
      if (!existsSync(path.join(folder, 'package.json'))) return folder;
      // With the settings of this machine: they say how its registry is reached.
      const env = { ...inherited(), PATH: pathWithNode(), npm_config_cache: `${work}/cache`, ...registry.env };
      const { problem } = await openShell(folder, env).run(`npm install --no-audit ${more}`);
      if (problem !== undefined) throw new Error(`${name} can't be installed: ${problem}`);
      return folder;
    },
    async openPartner() {
      const key = await signUpForKey(addresses);
      await untilAtBank(addresses, key);
      return partnerWith(addresses.url, key);
    },
    start(folder, command, env) {
      const program = startProgram(folder, command, env);
      programs.push(program);
      return program;
    },
    async close() {
      for (const program of programs) await program.kill();
      await registry.close();
      await stack.stop();
      await removeCluster('docs');
      rmSync(work, { recursive: true, force: true });
    },
  };
}

export function statusesOf(payouts: readonly unknown[]): Map<unknown, unknown> {
  return new Map(payouts.map((payout) => [valueAt(payout, 'id'), valueAt(payout, 'status')]));
}
