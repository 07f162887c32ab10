import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './project.ts';
import { retiredEverywhere, retiredInCode } from './vocabulary.ts';

/** The bare reference is frozen, so it keeps the names of its day; the lists below name what they retire. */
const leftOut = /^service\/bench\/bare\/|^dev\/vocabulary(\.test)?\.ts$|^pnpm-lock\.yaml$|\.(ttf|png|woff2|ico)$/;

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectFolder,
  });
  return listed
    .toString()
    .split('\n')
    .filter((file) => file !== '' && !leftOut.test(file) && existsSync(path.join(projectFolder, file)));
}

/** What is left of a source without its comments and texts: its names. */
function namesOf(source: string): string {
  return source.replace(
    /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g,
    ' ',
  );
}

function find(file: string, text: string): string[] {
  const found = retiredEverywhere.flatMap(({ retired, use }) => report(file, `${file}\n${text}`, retired, use));
  if (!/\.tsx?$/.test(file)) return found;
  const names = namesOf(file.endsWith('x') ? text.replace(/>[^<>{}]*[<{]|\}[^<>{}]*</g, '><') : text);
  return [...found, ...retiredInCode.flatMap(({ retired, use }) => report(file, names, retired, use))];
}

function report(file: string, text: string, retired: RegExp, use: string): string[] {
  const name = retired.exec(text)?.[0];
  return name === undefined ? [] : [`${file}: ${name} → ${use}`];
}

test('no name that was given up is in code, database, tests or docs', () => {
  const found = trackedFiles().flatMap((file) => find(file, readFileSync(path.join(projectFolder, file), 'utf8')));
  assert.deepEqual(found, []);
});

test('a planted old name is found, in code and in SQL, and a sentence may use a plain word', () => {
  assert.deepEqual(find('planted.ts', 'const side = 1;'), ['planted.ts: side → partnerEnvironment']);
  assert.equal(find('planted.sql', 'select kelpie.hint_payout(1)').length, 1);
  assert.equal(find('service/src/payouts/edge/planted.ts', '').length, 1);
  assert.deepEqual(find('planted.ts', "// Both sides of a transfer.\nconst text = 'a side';"), []);
});
