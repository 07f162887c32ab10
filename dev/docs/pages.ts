import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../project.ts';

export interface Page {
  /** Its path in the project. */
  file: string;
  text: string;
}

const notOurs = /(^|\/)(node_modules|dist|test-results|\.dev|\.git)$/;

/** Every page of documentation in the project. */
export function listPages(): Page[] {
  const files = globSync(['**/*.md', '.github/*.md'], { cwd: projectFolder, exclude: (name) => notOurs.test(name) });
  return files.toSorted().map((file) => ({ file, text: readFileSync(path.join(projectFolder, file), 'utf8') }));
}

export interface CodeSample {
  file: string;
  /** The first word after the fence: `sh`, `ts`, … */
  language: string;
  /** The rest of that line: how the sample is tested. */
  mode: string;
  code: string;
}

const fence = /^```([^\n]*)\n(.*?)^```$/gms;

/** The fenced blocks of a page, in their order. */
export function samplesOf({ file, text }: Page): CodeSample[] {
  return Array.from(text.matchAll(fence), ([, info = '', code = '']) => {
    const [language = '', ...rest] = info.trim().split(' ');
    return { file, language, mode: rest.join(' '), code };
  });
}

/** The text without its code, in which brackets and hashes mean something else. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(fence, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

/** What a link to a heading ends with, as GitHub makes it. */
export function anchorsOf({ text }: Page): string[] {
  return Array.from(text.replaceAll(fence, '').matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
