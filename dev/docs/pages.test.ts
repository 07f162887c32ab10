import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { anchorsOf, listPages, proseOf, type Page } from './pages.ts';

const pages = listPages();

/** Pages of a running api, to which the docs for partners lead. */
const servedLinks = /^\/(docs\/reference|status|dashboard\/|v1\/openapi\.json)$/;

/** What is wrong with a link, if anything. */
function problemOf({ file }: Page, target: string): string | undefined {
  if (/^(https?|mailto):/.test(target) || servedLinks.test(target)) return undefined;
  const [address = '', anchor] = target.split('#');
  const linked = address === '' ? file : path.join(path.dirname(file), address);
  if (!existsSync(path.join(projectFolder, linked))) return `${file}: ${target} does not exist`;
  if (anchor === undefined) return undefined;
  const page = pages.find((each) => each.file === linked);
  return page !== undefined && anchorsOf(page).includes(anchor) ? undefined : `${file}: ${target} has no such heading`;
}

test('every link and picture in the docs leads to a file and a heading that exist', () => {
  const links = pages.flatMap((page) =>
    Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => ({ page, target })),
  );
  assert(links.length > 100, 'hardly any link was found');
  assert.deepEqual(
    links.map(({ page, target }) => problemOf(page, target)).filter((problem) => problem !== undefined),
    [],
  );
});

test('a link to a missing file or heading is found', () => {
  const page = { file: 'docs/README.md', text: '' };
  assert.match(problemOf(page, 'none.md') ?? '', /does not exist/);
  assert.match(problemOf(page, '../README.md#none') ?? '', /no such heading/);
  assert.equal(problemOf(page, '../README.md#quickstart'), undefined);
});

test('every page in docs is reached from docs/README.md', () => {
  const linked = new Set<string>();
  const waiting = ['docs/README.md'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const page = pages.find((each) => each.file === file);
    if (page === undefined || linked.has(file)) continue;
    linked.add(file);
    for (const [, target = ''] of proseOf(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      waiting.push(path.join(path.dirname(page.file), target));
  }
  assert.deepEqual(
    pages.map(({ file }) => file).filter((file) => file.startsWith('docs/') && !linked.has(file)),
    [],
  );
});

test('decision records are numbered without a gap, and the index lists each with its title and status', () => {
  const folder = path.join(projectFolder, 'docs/decisions');
  const records = globSync('0*.md', { cwd: folder }).toSorted();
  const rows = records.map((file, place) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const number = place + 1;
    assert.equal(file.slice(0, 5), `${String(number).padStart(4, '0')}-`, `${file} leaves a number out`);
    const title = new RegExp(`^# ${number}\\. (.+)\\n`).exec(text)?.[1];
    const status = /^\*\*Status:\*\* (\w+)/m.exec(text)?.[1];
    return `| ${number} | [${title}](${file}) | ${status} |`;
  });
  assert(rows.length >= 22);
  assert.deepEqual(readFileSync(path.join(folder, 'README.md'), 'utf8').match(/^\| \d+ .*$/gm), rows);
});

test('every page that the code names exists', () => {
  const sources = globSync('{service,sandbox-bank,sdk,dashboard,docs-site,dev}/**/*.{ts,tsx,sql}', {
    cwd: projectFolder,
    exclude: (name) => /(^|\/)(node_modules|dist|\.dev)$/.test(name),
  });
  const named = sources.flatMap((file) =>
    Array.from(
      readFileSync(path.join(projectFolder, file), 'utf8').matchAll(/(?<!['"`]\/)\bdocs\/[\w/-]+\.(md|svg)\b/g),
      ([page]) => ({
        file,
        page,
      }),
    ),
  );
  assert(named.length > 20, 'hardly any page is named');
  assert.deepEqual(
    named.filter(({ page }) => !existsSync(path.join(projectFolder, page))),
    [],
  );
});
