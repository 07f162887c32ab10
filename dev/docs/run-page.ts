import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { valueAt } from '../json.ts';
import { projectFolder } from '../project.ts';
import { blocksOf, type Block, type Proof } from './blocks.ts';
import type { Page } from './pages.ts';
import { openShell, type Printed, type ShellSession } from './shell-session.ts';

export interface BlockResult {
  name: string;
  proof: Proof;
  /** Undefined where the block is right. */
  problem: string | undefined;
  tookMs: number;
}

interface PageRun {
  page: Page;
  /** Where a reader would be. */
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Puts real addresses and keys in place of those of the page. */
  fill: (code: string) => string;
}

interface Reader {
  run: PageRun;
  shell: ShellSession;
  printed: string;
  /** The programs so far, by language: a block without an import continues the one before it. */
  programs: Map<string, string>;
}

const openapi = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(openapi);
const description: unknown = JSON.parse(readFileSync(path.join(projectFolder, 'openapi.json'), 'utf8'));
openapi.addSchema({ $id: 'api', components: valueAt(description, 'components') });

export function schemaProblem(schema: string, code: string): string | undefined {
  const validate = openapi.compile({ $ref: `api#/components/schemas/${schema}` });
  return validate(JSON.parse(code)) ? undefined : `not a ${schema}: ${openapi.errorsText(validate.errors)}`;
}

/** In what is expected, `…` stands for anything on its line, and a line of its own for any lines. */
export function outputProblem(expected: string, printed: string): string | undefined {
  const escaped = expected.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped.replaceAll(/^…$/gm, '[^]*').replaceAll('…', '[^\\n]*');
  return new RegExp(`^${pattern}$`).test(printed.trim()) ? undefined : `printed instead:\n${printed.trim()}`;
}

const tsc = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
const typeOptions = `--noEmit --strict --skipLibCheck --target es2024 --module nodenext --types node --typeRoots '${projectFolder}/node_modules/@types'`;
const boundary = '\u0001';

function write({ run }: Reader, name: string, code: string): void {
  writeFileSync(path.join(run.folder, name), code);
}

/** A program that a reader would save: its types are right, too. */
async function checkTypes({ shell }: Reader, file: string): Promise<string | undefined> {
  return file.endsWith('.ts') ? (await shell.run(`node '${tsc}' ${typeOptions} '${file}'`)).problem : undefined;
}

const languages = {
  ts: { file: 'block.ts', command: 'node block.ts', mark: `console.log('${boundary}');`, begins: /^import /m },
  python: { file: 'block.py', command: 'python3 block.py', mark: `print('${boundary}')`, begins: /^(import|from) /m },
} as const;

async function runProgram(reader: Reader, language: 'ts' | 'python', code: string): Promise<Printed> {
  const { file, command, mark, begins } = languages[language];
  const before = begins.test(code) ? '' : (reader.programs.get(language) ?? '');
  write(reader, file, before === '' ? code : `${before}\n${mark}\n${code}`);
  reader.programs.set(language, `${before}\n${code}`);
  const types = await checkTypes(reader, file);
  if (types !== undefined) return { output: '', problem: types };
  const printed = await reader.shell.run(command);
  return { ...printed, output: printed.output.split(boundary).at(-1) ?? '' };
}

async function problemOf(reader: Reader, proof: Proof, code: string): Promise<string | undefined> {
  switch (proof.kind) {
    case 'none':
      return 'nothing proves it: CONTRIBUTING.md says how a block is marked, and a saved file needs a command that uses it';
    case 'schema':
      return schemaProblem(proof.schema, code);
    case 'output':
      return outputProblem(code, reader.printed);
    case 'file': {
      write(reader, proof.name, code);
      return checkTypes(reader, proof.name);
    }
    case 'run': {
      const { language } = proof;
      const printed = language === 'sh' ? await reader.shell.run(code) : await runProgram(reader, language, code);
      reader.printed = printed.output;
      return printed.problem;
    }
  }
}

async function checkBlock(reader: Reader, { name, code, proof }: Block): Promise<BlockResult> {
  const startedAt = performance.now();
  const problem = await problemOf(reader, proof, reader.run.fill(code)).catch((error: unknown) => String(error));
  return { name, proof, problem, tookMs: performance.now() - startedAt };
}

/** Follows a page as a reader does, from its first block to its last. */
export async function runPage(run: PageRun): Promise<BlockResult[]> {
  mkdirSync(run.folder, { recursive: true });
  const shell = openShell(run.folder, run.env);
  const reader: Reader = { run, shell, printed: '', programs: new Map() };
  const results: BlockResult[] = [];
  try {
    // All of them, also after one that failed: each has its own report.
    for (const block of blocksOf(run.page)) results.push(await checkBlock(reader, block));
  } finally {
    shell.close();
  }
  return results;
}
