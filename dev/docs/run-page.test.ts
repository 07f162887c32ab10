import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { outputProblem, runPage, schemaProblem } from './run-page.ts';
import { pathWithNode } from './shell-session.ts';

const work = mkdtempSync(path.join(tmpdir(), 'kelpie-blocks-'));
after(() => rmSync(work, { recursive: true }));

/** What is wrong with each block, by its first line. */
async function follow(name: string, blocks: readonly [info: string, code: string][]): Promise<(string | undefined)[]> {
  const text = blocks.map(([info, code]) => `\`\`\`${info}\n${code}\n\`\`\`\n`).join('\n');
  const results = await runPage({
    page: { file: `docs/partners/${name}.md`, text },
    folder: path.join(work, name),
    env: { PATH: pathWithNode() },
    fill: (code) => code.replaceAll('PLACE', 'Leeds'),
  });
  return results.map(({ problem }) => problem);
}

test('variables, functions and files last from block to block, in every language', async () => {
  const problems = await follow('lasting', [
    ['sh run', 'CITY=PLACE\nexport CITY\nsay() { echo "in $1"; }'],
    ['sh run', 'say "$CITY"'],
    ['text output', 'in Leeds'],
    [
      'ts run',
      'import os from "node:os";\nconst city: string = process.env.CITY ?? "";\nconsole.log("first", os.EOL.length);',
    ],
    ['ts run', 'console.log(city);'],
    ['text output', 'Leeds'],
    ['python run', 'import os\nprint(os.environ["CITY"])'],
    ['text output', 'Lee…'],
    ['csv rows.csv', 'a,b'],
    ['sh run', 'cat rows.csv'],
    ['text output', 'a,b'],
  ]);
  assert.deepEqual(problems, Array.from({ length: 11 }));
});

test('a block that fails, has wrong types, prints something else or proves nothing is reported', async () => {
  const problems = await follow('wrong', [
    ['sh run', 'echo begun; false; echo never'],
    ['sh run', 'echo on'],
    ['text output', 'off'],
    ['ts run', 'import os from "node:os";\nconst size: string = os.cpus().length;'],
    ['json Discovery', '{ "name": 1 }'],
    ['sh', 'true'],
  ]);
  const expected = [
    /ended with 1:\nbegun/,
    /^undefined$/,
    /printed instead:\non/,
    /TS2322/,
    /not a Discovery/,
    /nothing proves it/,
  ];
  problems.forEach((problem, place) => assert.match(String(problem), expected[place] ?? /^$/));
});

test('what a page leaves running ends with it', async () => {
  await follow('leaving', [['sh run', 'sleep 60 & echo $! > pid']]);
  const pid = readFileSync(path.join(work, 'leaving/pid'), 'utf8').trim();
  await eventually('it ended', async () => {
    const status = `/proc/${pid}/status`;
    return !existsSync(status) || /^State:\s+Z/m.test(readFileSync(status, 'utf8'));
  });
});

test('dots stand for what changes', () => {
  assert.equal(outputProblem('completed …\n…\nend', 'completed 25.00\none\ntwo\nend\n'), undefined);
  assert.match(outputProblem('completed …', 'failed 25.00') ?? '', /printed instead/);
  assert.match(outputProblem('a.c', 'abc') ?? '', /printed instead/);
  assert.equal(schemaProblem('Error', '{"error": {"code": "not_found", "message": "None."}}'), undefined);
});
