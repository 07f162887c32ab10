import assert from 'node:assert/strict';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { blocksOf, isPartnerPage } from './blocks.ts';
import { listPages, samplesOf, type CodeSample } from './pages.ts';

const pages = listPages();
const samples = pages.filter((page) => !isPartnerPage(page)).flatMap(samplesOf);

/**
 * How each kind of sample is tested, except those for partners (blocks.ts). `sh run` and `sql run`: samples.soak.test.ts.
 * `sh checked`: here, and those of runbooks are run with their `sql checked` by the service's own tests. `ts`: the tests of the
 * page's own workspace. `text` is no code.
 */
const tested = new Set(['sh run', 'sh checked', 'sql run', 'sql checked', 'json', 'ts', 'text', 'text output']);
const pagesWithTypeScript = new Set(['sdk/README.md', 'sandbox-bank/README.md']);

const nameOf = ({ language, mode }: CodeSample): string => `${language} ${mode}`.trim();

test('every code sample in the docs says how it is tested', () => {
  assert(samples.length > 20, 'hardly any sample was found');
  assert.deepEqual(
    samples.filter((sample) => !tested.has(nameOf(sample))).map((sample) => `${sample.file}: ${nameOf(sample)}`),
    [],
  );
  assert.deepEqual(
    samples.filter(({ file, language }) => language === 'ts' && !pagesWithTypeScript.has(file)),
    [],
  );
});

test('every code block for partners can be proved by npm run docs:test', () => {
  const blocks = pages.filter(isPartnerPage).flatMap(blocksOf);
  assert(blocks.length > 20, 'hardly any block was found');
  assert.deepEqual(
    blocks.filter(({ proof }) => proof.kind === 'none').map(({ name }) => name),
    [],
  );
});

test('a block that nothing runs, compares or uses has no proof', () => {
  const text = '```sh\ntrue\n```\n```json\n{}\n```\n```ts pay.ts\n0\n```\n```text\nhello\n```\n';
  const blocks = blocksOf({ file: 'docs/partners/README.md', text });
  assert.deepEqual(
    blocks.map(({ proof }) => proof.kind),
    ['none', 'none', 'none', 'none'],
  );
});

test('every JSON sample in the docs can be parsed', () => {
  for (const { code } of samples.filter(({ language }) => language === 'json'))
    assert.doesNotThrow(() => void JSON.parse(code), code);
});

/** Whether a line names commands that exist. Those of kelpie-admin are checked where its program is. */
function exists(line: string): boolean {
  const script = /^npm run ([\w:-]+)/.exec(line)?.[1];
  if (script !== undefined) return script in manifest.scripts;
  const known = [
    `npm install -g pnpm@${manifest.engines.pnpm}`,
    'pnpm install --frozen-lockfile',
    'npm install @kelpie/sdk',
  ];
  return line.startsWith('kelpie-admin ') || known.includes(line);
}

test('every line of a sample that is not run names a command that exists', () => {
  const lines = samples
    .filter((sample) => nameOf(sample) === 'sh checked')
    .flatMap(({ file, code }) =>
      code
        .trim()
        .split('\n')
        .map((line) => ({ file, line })),
    );
  assert(lines.length > 20);
  assert.deepEqual(
    lines.filter(({ line }) => !exists(line)),
    [],
  );
  assert(!exists('npm run none') && !exists('npm install -g pnpm@1.0.0'));
});

test('every npm script that a sentence names exists', () => {
  const named = pages.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/`npm run ([\w:-]+)/g), ([, script = '']) => ({ file, script })),
  );
  assert(named.length > 30);
  assert.deepEqual(
    named.filter(({ script }) => !(script in manifest.scripts)),
    [],
  );
});
