// npm run lint:words [-- FILE…]: refuses words that readers have to translate. See avoid.ts.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../project.ts';
import { checkWords } from './check-text.ts';

/** What people read. Tests, benchmarks and generated types are for engineers only. */
const readByPeople = [
  /\.md$/,
  /^openapi\.json$/,
  /^(?:service|sandbox-bank|dashboard|sdk)\/src\/.*\.tsx?$/,
  /^dev\/.*\.ts$/,
];
const leftOut = /\.test\.ts$|^dev\/(?:words|architecture)\/|^dev\/vocabulary\.ts$|^sdk\/src\/api-types\.ts$/;

function listFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectFolder,
  });
  return listed
    .toString()
    .split('\n')
    .filter((file) => readByPeople.some((pattern) => pattern.test(file)) && !leftOut.test(file))
    .filter((file) => existsSync(path.join(projectFolder, file)));
}

const named = process.argv.slice(2);
const files = named.length === 0 ? listFiles() : named;
let count = 0;
for (const file of files) {
  for (const { line, message } of await checkWords(file, await readFile(path.join(projectFolder, file), 'utf8'))) {
    console.log(`${file}:${line}  ${message}`);
    count += 1;
  }
}
console.log(`${count} words to avoid in ${files.length} files.`);
process.exitCode = count === 0 ? 0 : 1;
