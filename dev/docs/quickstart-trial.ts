// npm run quickstart:trial: a stranger signs up and follows the quickstart word for word, from an empty folder. First without a
// cache of npm, then with one. It fails where a block does, or where the first completed payout takes 5 minutes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onOwnStack } from '../own-stack.ts';
import { packSdk } from '../sdk/pack.ts';
import { startRegistry, type Registry } from '../sdk/registry.ts';
import { runPage, type BlockResult } from './run-page.ts';
import { pathWithNode } from './shell-session.ts';
import { addressesIn, signUpForKey, type Addresses } from './sign-up.ts';

// Below the ports that the system gives to outgoing connections, and not those of anything else that we start.
const firstPort = 26_400;
const guide = 'quickstart';
const mostMs = 5 * 60_000;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

interface Attempt {
  name: 'cold' | 'warm';
  addresses: Addresses;
  registry: Registry;
  work: string;
}

/** Until the first status that the page shows, and until its end. Undefined where a block failed. */
function timesOf(signedUpMs: number, results: readonly BlockResult[]): { first: number; all: number } | undefined {
  if (results.length === 0 || results.some(({ problem }) => problem !== undefined)) return undefined;
  const place = results.findIndex(({ proof }) => proof.kind === 'output');
  const sum = (some: readonly BlockResult[]): number => some.reduce((total, { tookMs }) => total + tookMs, signedUpMs);
  return { first: sum(results.slice(0, place + 1)), all: sum(results) };
}

async function follow({ name, addresses, registry, work }: Attempt): Promise<boolean> {
  const startedAt = performance.now();
  const key = await signUpForKey(addresses);
  const signedUpMs = performance.now() - startedAt;
  // As a reader gets it: with the address of this very service.
  const text = await (await fetch(`${addresses.url}/docs/${guide}.md`)).text();
  const results = await runPage({
    page: { file: 'docs/partners/quickstart.md', text },
    folder: path.join(work, name),
    env: { PATH: pathWithNode(), HOME: work, LANG: 'C.UTF-8', npm_config_cache: `${work}/cache`, ...registry.env },
    fill: (code) => code.replaceAll('kp_sandbox_…', key),
  });
  for (const result of results)
    console.log(
      `${result.problem === undefined ? 'ok    ' : 'FAILED'} ${seconds(result.tookMs).padStart(7)}  ${result.name}${result.problem === undefined ? '' : `\n${result.problem}`}`,
    );
  const times = timesOf(signedUpMs, results);
  if (times === undefined) return false;
  console.log(
    `${name}: signed up in ${seconds(signedUpMs)}, first completed payout after ${seconds(times.first)}, all three languages after ${seconds(times.all)}\n`,
  );
  return times.all < mostMs;
}

const work = mkdtempSync(path.join(tmpdir(), 'kelpie-quickstart-'));
try {
  const registry = await startRegistry(await packSdk(work));
  await onOwnStack({ cluster: 'docs', firstPort }, async ({ found }) => {
    const addresses = addressesIn(found);
    let failed = 0;
    for (const name of ['cold', 'warm'] as const) if (!(await follow({ name, addresses, registry, work }))) failed += 1;
    console.log(`${2 - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  });
  await registry.close();
} finally {
  rmSync(work, { recursive: true, force: true });
}
