import assert from 'node:assert/strict';
import { cpSync, globSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { cruise, type IReporterOutput } from 'dependency-cruiser';
import { projectFolder } from '../project.ts';
import { findFolderCircles } from './folder-circles.ts';
import { forbidden, modules, options } from './rules.ts';

const roots = ['service', 'sandbox-bank', 'dev', 'sdk', 'dashboard'];
/** What is built may come and go while this reads. */
const read = ['service', 'sandbox-bank', 'dev', 'sdk/src', 'sdk/test', 'dashboard/src', 'dashboard/e2e'];

async function readTree(folder: string, from: string[] = read) {
  const { output }: IReporterOutput = await cruise(from, {
    ...options,
    ruleSet: { forbidden },
    validate: true,
    baseDir: folder,
  });
  assert(typeof output === 'object', 'the tree was not read');
  const own = output.modules.filter((module) =>
    /^(service|sandbox-bank|dev|sdk|dashboard)\/.*\.tsx?$/.test(module.source),
  );
  return {
    files: own.map((module) => module.source).toSorted(),
    circles: findFolderCircles(output.modules),
    broken: output.summary.violations.map((violation) => `${violation.rule.name}: ${violation.from} → ${violation.to}`),
  };
}

test('no import breaks the architecture, and every source file was read to say so', async () => {
  const { files, broken, circles } = await readTree(projectFolder);
  const onDisk = globSync(`{${read.join(',')}}/**/*.{ts,tsx}`, {
    cwd: projectFolder,
    exclude: (name) => name.includes('node_modules'),
  }).toSorted();
  assert.deepEqual(files, onDisk);
  assert.deepEqual(broken, []);
  assert.deepEqual(circles, [], 'folders import each other in a circle');
});

test('every folder of the service has a rule of its own', () => {
  const folders = readdirSync(path.join(projectFolder, 'service/src'));
  assert.deepEqual(
    folders.filter((folder) => !modules.includes(folder)),
    [],
  );
});

const planted = [
  {
    rule: 'money-imports-only-what-it-may',
    file: 'service/src/money/planted-1.ts',
    text: `import '../platform/clock.ts';`,
  },
  {
    rule: 'a-module-is-entered-by-its-face',
    file: 'service/src/app/planted-2.ts',
    text: `import '../ledger/store.ts';`,
  },
  {
    rule: 'only-the-edges-know-http',
    file: 'service/src/payouts/planted-3.ts',
    text: `import '../http/errors/errors.ts';`,
  },
  {
    rule: 'only-app-knows-the-edges-of-a-module',
    file: 'service/src/billing/planted-4.ts',
    text: `import '../payouts/routes/schemas.ts';`,
  },
  { rule: 'only-the-edges-know-fastify', file: 'service/src/platform/planted-5.ts', text: `import 'fastify';` },
  { rule: 'only-stores-know-the-driver', file: 'service/src/http/planted-6.ts', text: `import 'pg';` },
  {
    rule: 'the-service-does-not-need-development-tools',
    file: 'service/src/app/planted-7.ts',
    text: `import '../../../dev/project.ts';`,
  },
  {
    rule: 'development-tools-start-the-service-but-never-import-it',
    file: 'dev/planted-8.ts',
    text: `import '../service/src/platform/clock.ts';`,
  },
  {
    rule: 'the-sandbox-bank-is-a-program-of-its-own',
    file: 'sandbox-bank/src/planted-9.ts',
    text: `import '../../service/src/platform/clock.ts';`,
  },
  {
    rule: 'the-sandbox-bank-does-not-need-development-tools',
    file: 'sandbox-bank/src/planted-10.ts',
    text: `import '../../dev/project.ts';`,
  },
  {
    rule: 'the-sandbox-bank-is-reached-over-the-wire',
    file: 'service/src/platform/planted-11.ts',
    text: `import '../../../sandbox-bank/src/money.ts';`,
  },
  { rule: 'the-sdk-stands-alone', file: 'sdk/src/planted-12.ts', text: `import 'node:util';` },
  {
    rule: 'the-sdk-meets-the-service-over-the-wire',
    file: 'sdk/test/planted-13.ts',
    text: `import '../../service/src/platform/clock.ts';`,
  },
  {
    rule: 'only-tests-of-ours-use-the-sdk',
    file: 'service/src/app/planted-14.ts',
    text: `import '../../../sdk/src/index.ts';`,
  },
  {
    rule: 'the-dashboard-meets-the-service-over-the-wire',
    file: 'dashboard/src/planted-16.ts',
    text: `import '../../service/src/platform/clock.ts';`,
  },
  {
    rule: 'the-dashboard-needs-the-sdk-and-no-development-tools',
    file: 'dashboard/src/planted-17.ts',
    text: `import '../../dev/project.ts';`,
  },
  {
    rule: 'the-dashboard-runs-without-node',
    file: 'dashboard/src/planted-18.ts',
    text: `import 'node:util';`,
  },
  {
    rule: 'the-sdk-is-entered-by-its-face',
    file: 'dashboard/src/planted-19.ts',
    text: `import '../../sdk/src/errors.ts';`,
  },
  {
    rule: 'a-screen-knows-no-other-screen',
    file: 'dashboard/src/screens/usage/planted-20.ts',
    text: `import '../keys/keys.tsx';`,
  },
  {
    rule: 'the-parts-of-a-page-know-no-page',
    file: 'dashboard/src/ui/planted-21.ts',
    text: `import '../shell/theme.ts';`,
  },
  {
    rule: 'nobody-needs-the-dashboard',
    file: 'dev/planted-22.ts',
    text: `import '../dashboard/src/format/money.ts';`,
  },
  {
    rule: 'the-api-knows-no-job',
    file: 'service/src/app/serve-api.ts',
    text: `import '../access/routes/planted-23.ts';`,
    also: [{ file: 'service/src/access/routes/planted-23.ts', text: `import '../jobs.ts';` }],
  },
  {
    rule: 'no-circles',
    file: 'service/src/platform/planted-15.ts',
    text: `import './planted-15-too.ts';`,
    also: [{ file: 'service/src/platform/planted-15-too.ts', text: `import './planted-15.ts';` }],
  },
];

/** No two files of it import each other: only the folders do. */
const circle = {
  file: 'service/src/payouts/model/planted-24.ts',
  text: `import '../records/calls.ts';`,
};

/** A copy of the tree, with all of these in it that should not be there. Read from these on: each rule judges what they import. */
async function readPlanted(): ReturnType<typeof readTree> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-planted-'));
  try {
    for (const root of roots) {
      cpSync(path.join(projectFolder, root), path.join(folder, root), {
        recursive: true,
        filter: (source) => !/\/(node_modules|dist|screenshots|test-results)(\/|$)/.test(source),
      });
      symlinkSync(path.join(projectFolder, root, 'node_modules'), path.join(folder, root, 'node_modules'));
    }
    cpSync(path.join(projectFolder, 'package.json'), path.join(folder, 'package.json'));
    symlinkSync(path.join(projectFolder, 'node_modules'), path.join(folder, 'node_modules'));
    const plants = [circle, ...planted.flatMap((plant) => [plant, ...(plant.also ?? [])])];
    for (const { file, text } of plants) writeFileSync(path.join(folder, file), text);
    return await readTree(
      folder,
      plants.map(({ file }) => file),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let reading: ReturnType<typeof readTree> | undefined;

for (const { rule, file } of planted) {
  test(`a planted import is found by ${rule}`, async () => {
    // Each is a file of its own, so one reading tells of all.
    reading ??= readPlanted();
    const { broken } = await reading;
    const found = broken.filter((line) => line.includes(file));
    assert(
      found.some((line) => line.startsWith(`${rule}: `)),
      `found only: ${found.join('; ') || 'nothing'}`,
    );
  });
}

test('a planted circle of two folders is found, though no two files import each other', async () => {
  reading ??= readPlanted();
  const { circles } = await reading;
  const found = circles.filter((way) => way.includes('payouts/model → '));
  assert.deepEqual(found, ['service/src/payouts/model → service/src/payouts/records → service/src/payouts/model']);
});
