// npm run e2e [-- ARGUMENTS of playwright]: the dashboard in a real browser, on the whole of Kelpie, started for it alone.
// npm run lighthouse: the same stack and browser, to measure how quick the overview and the docs are.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { textAt } from './json.ts';
import { onOwnStack } from './own-stack.ts';
import { startCluster } from './postgres/cluster.ts';
import { urlFor } from './postgres/roles.ts';
import { projectFolder } from './project.ts';

const cluster = 'e2e';
// Below the ports that the system gives to outgoing connections, and not those of anything else that we start.
const firstPort = 28_000;
const dashboardFolder = path.join(projectFolder, 'dashboard');
const browser = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const playwright = ['node_modules/@playwright/test/cli.js', 'test', ...process.argv.slice(2)];
const program = process.argv[2] === '--lighthouse' ? ['e2e/lighthouse.ts', ...process.argv.slice(3)] : playwright;

function build(): number {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];
  return spawnSync(process.execPath, args, { cwd: dashboardFolder, stdio: 'inherit' }).status ?? 1;
}

if (!existsSync(browser)) {
  console.error(`There is no browser at ${browser}. On Debian: apt-get install -y chromium. Or name one: CHROMIUM=…`);
  process.exitCode = 2;
} else if (build() !== 0) {
  process.exitCode = 1;
} else {
  await onOwnStack({ cluster, firstPort }, async ({ found, run }) => {
    const { adminUrl } = await startCluster(cluster);
    return run(process.execPath, program, {
      cwd: dashboardFolder,
      env: {
        ...process.env,
        E2E_BROWSER: browser,
        E2E_URL: textAt(found, 'url'),
        E2E_MAIL_URL: textAt(found, 'mailUrl'),
        E2E_BANK_URL: textAt(found, 'bankUrl'),
        E2E_LIVE_BANK_URL: textAt(found, 'liveBankUrl'),
        E2E_DATABASE_URL: urlFor(adminUrl, `kelpie_${cluster}`),
        E2E_OPERATOR_ENV_FILE: path.join(projectFolder, '.dev', `kelpie-${cluster}.env`),
      },
    });
  });
}
