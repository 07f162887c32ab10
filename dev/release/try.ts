// npm run release:try [-- VERSION]: installs a release into empty folders, and runs it where this checkout cannot be seen.
// Without a version it builds a trial first. Needs root, for the mounts.
import { globSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { runCommand } from '../cluster/run-command.ts';
import { eventually } from '../eventually.ts';
import { findPort } from '../free-port.ts';
import { textAt } from '../json.ts';
import { projectFolder } from '../project.ts';
import { slowMs, startInstalled, type InstalledStack } from './installed-stack.ts';
import { folderOf } from './release.ts';
import { tryImage } from './try-image.ts';

const buildTimeoutMs = 3_600_000;
let errors = 0;

function check(what: string, isRight: boolean): void {
  console.log(`${isRight ? 'ok    ' : 'FAILED'} ${what}`);
  if (!isRight) errors += 1;
}

async function payOnce({ url, key }: InstalledStack, order: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': order };
  const recipient = {
    first_name: 'Ada',
    last_name: 'Byron',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  };
  const body = JSON.stringify({ amount_gbp: '25.00', reference: order, recipient });
  const created: unknown = await (await fetch(`${url}/v1/payouts`, { method: 'POST', headers, body })).json();
  const id = textAt(created, 'id');
  const look = async (): Promise<boolean> => {
    const payout: unknown = await (await fetch(`${url}/v1/payouts/${id}`, { headers })).json();
    return textAt(payout, 'status') === 'completed';
  };
  return eventually('the payout is completed', look, slowMs);
}

async function saysItsRelease({ url }: InstalledStack, version: string): Promise<boolean> {
  const body: unknown = await (await fetch(url, { headers: { accept: 'application/json' } })).json();
  return textAt(body, 'release') === version && /^[0-9a-f]{40}/.test(textAt(body, 'commit'));
}

/** What was read from files, and what is bundled but seldom used. */
const pages = [
  '/',
  '/v1/openapi.json',
  '/docs',
  '/docs/quickstart',
  '/docs/reference',
  '/docs/reference/js/scalar.js',
  '/docs/fonts/inter.woff2',
  '/dashboard/',
];

/** A package that is being replaced has no files for a moment, and then others. */
async function checkWithoutFiles(stack: InstalledStack): Promise<void> {
  await rename(stack.root, `${stack.root}-removed`);
  check('a payout is paid after the files were removed', await payOnce(stack, 'order-second'));
  for (const page of pages) {
    const { status } = await fetch(stack.url + page);
    check(`${page} is served after the files were removed`, status === 200);
  }
}

async function tryRelease(release: string, work: string): Promise<Record<string, number>> {
  const fileOf = (pattern: string): string => path.join(release, globSync(pattern, { cwd: release })[0] ?? '');
  const stack = await startInstalled(release, work);
  try {
    check('GET / says which release and commit runs', await saysItsRelease(stack, path.basename(release)));
    check('a payout is paid by the installed programs', await payOnce(stack, 'order-first'));
    await checkWithoutFiles(stack);
    const port = await findPort();
    const image = await tryImage(fileOf('*-image.tar.gz'), `http://127.0.0.1:${port}`, stack.envFor(port));
    check('the image serves read-only, without capabilities, as its own user', image.isReady);
    check('its health check succeeds', image.isHealthy);
    check(
      'every program ends with 0 when asked to',
      (await stack.stop()).every((code) => code === 0),
    );
    return {
      ready_after_ms: stack.readyAfterMs,
      deb_bytes: statSync(fileOf('*.deb')).size,
      image_archive_bytes: statSync(fileOf('*-image.tar.gz')).size,
      image_bytes: image.bytes,
      image_ready_after_ms: image.readyAfterMs,
    };
  } finally {
    await stack.remove();
  }
}

async function buildTrial(): Promise<string> {
  const build = ['--prefix', projectFolder, 'run', '--silent', 'release', '--', '--trial', manifest.version];
  console.log(await runCommand('npm', build, buildTimeoutMs));
  return `${manifest.version}-trial`;
}

const version = process.argv[2] ?? (await buildTrial());
const work = await mkdtemp(path.join(tmpdir(), 'kelpie-release-'));
try {
  const figures = await tryRelease(folderOf(version), work);
  console.log(JSON.stringify({ release: version, ...figures, errors }));
  process.exitCode = errors === 0 ? 0 : 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
