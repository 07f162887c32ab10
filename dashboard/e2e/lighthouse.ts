// npm run lighthouse: how quick the overview and the docs are, measured by Lighthouse on the whole of Kelpie. Only a quiet
// machine tells. With `-- --docs`, only the docs, for which it also fails below 95.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { browserArguments, browserPath } from './browser.ts';
import { plantPayouts } from './planted-payouts.ts';
import { signUp } from './people.ts';
import { stack } from './stack.ts';

/** Not a dependency: it would bring 150 packages for a figure that is taken now and then. */
const lighthouse = 'lighthouse@13.5.0';
const ofDashboard = ['performance', 'accessibility', 'best-practices'];
/** The docs can be found by strangers, so how they are found counts, too. */
const ofDocs = [...ofDashboard, 'seo'];
const docsPages = ['/docs', '/docs/quickstart', '/docs/errors'];
const leastOfDocs = 95;
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
  'cumulative-layout-shift',
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn('npm', ['exec', '--yes', '--', lighthouse, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`lighthouse ended with ${String(code)}`);
}

const forms = ['desktop', 'mobile'] as const;

interface Measured {
  port: number;
  /** Of the page. */
  path: string;
  /** As a desktop has it, or as a phone on a slow line has. */
  form: (typeof forms)[number];
  report: string;
  categories: readonly string[];
}

/** Returns the scores. */
async function measure({ port, path: page, form, report, categories }: Measured): Promise<number[]> {
  await run([
    `${stack.url}${page}`,
    `--port=${port}`,
    '--disable-storage-reset',
    '--quiet',
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
    `--only-categories=${categories.join(',')}`,
    '--output=json',
    `--output-path=${report}`,
  ]);
  const found: unknown = JSON.parse(await readFile(report, 'utf8'));
  // The page of somebody who is not signed in would be quicker, and nobody's question.
  const seen = textAt(found, 'finalDisplayedUrl');
  if (!seen.endsWith(page)) throw new Error(`what was measured is ${seen}`);
  const scores = categories.map((name) => Math.round(Number(valueAt(found, `categories.${name}.score`)) * 100));
  const named = categories.map((name, place) => `${name} ${scores[place]}`);
  const figures = metrics.map((name) => `${name} ${Number(valueAt(found, `audits.${name}.numericValue`)).toFixed(2)}`);
  console.log(`${page} ${form}: ${named.join(', ')} (${figures.join(', ')})`);
  return scores;
}

const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-lighthouse-'));
const port = await freePort();
const context = await chromium.launchPersistentContext(path.join(folder, 'profile'), {
  executablePath: browserPath,
  args: [...browserArguments, `--remote-debugging-port=${port}`],
  baseURL: `${stack.url}/dashboard/`,
  locale: 'en-GB',
});
try {
  const report = path.join(folder, 'report.json');
  if (!process.argv.includes('--docs')) {
    const page = await context.newPage();
    const { slug } = await signUp(page);
    await plantPayouts({ slug, count: 400, days: 27 });
    // What looks again by itself would be measured too.
    await page.close();
    for (const form of forms)
      await measure({ port, path: '/dashboard/sandbox', form, report, categories: ofDashboard });
  }
  for (const each of docsPages)
    for (const form of forms) {
      const scores = await measure({ port, path: each, form, report, categories: ofDocs });
      if (scores.some((score) => score < leastOfDocs)) process.exitCode = 1;
    }
} finally {
  await context.close();
  await rm(folder, { recursive: true, force: true });
}
