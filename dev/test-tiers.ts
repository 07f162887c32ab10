import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from './project.ts';

/**
 * - `soak`: named `*.soak.test.ts`. It repeats something at size, or needs the machine to itself.
 * - `integration`: in a `test` folder, or beside its source and opening a database or starting a process.
 * - `unit`: any other file beside its source. They share one process.
 */
export const tiers = ['unit', 'integration', 'soak'] as const;
export type Tier = (typeof tiers)[number];

const workspaces = /^(service|sandbox-bank|dev|sdk|dashboard|docs-site)\//;
const opensOrStarts =
  /from '(node:child_process|pg|[^']*\/postgres\/[^']+|[^']*\/(child-process|shell-session|servers|run-promtool)\.ts|[^']*\/harness(\/database)?\.ts)'/;

/** Throws for a file that no tier would run. */
export function tierOf(file: string, text: string): Tier {
  if (!workspaces.test(file) || !file.endsWith('.test.ts')) throw new Error(`${file} belongs to no tier of tests`);
  if (file.endsWith('.soak.test.ts')) return 'soak';
  return file.includes('/test/') || opensOrStarts.test(text) ? 'integration' : 'unit';
}

/** Whatever looks like a test; the dashboard's `*.spec.ts` are Playwright's. */
const looksLikeTest = '**/*.{test,tests,spec}.{ts,tsx,mts,js,mjs}';
const notOurs = /(^|\/)(node_modules|dist|\.dev)$|^dashboard\/e2e$/;

/**
 * Every test file of the project, with its tier. The longest texts come first: they take longest as a rule, and one that began
 * last would leave the other cores idle at the end.
 */
export function listTestFiles(): ReadonlyMap<string, Tier> {
  const files = globSync(looksLikeTest, { cwd: projectFolder, exclude: (name) => notOurs.test(name) });
  const read = files.map((file) => ({ file, text: readFileSync(path.join(projectFolder, file), 'utf8') }));
  return new Map(
    read
      .toSorted((one, other) => other.text.length - one.text.length)
      .map(({ file, text }) => [file, tierOf(file, text)]),
  );
}
